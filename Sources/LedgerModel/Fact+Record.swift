public import LedgerEvents

extension Fact {
  /// Reads the fact of a record from its bytes.
  ///
  /// - Throws: `RecordError` under the same conditions as `RecordView.init`.
  /// - Complexity: O(*n*) in the size of the record.
  public init(record: Span<UInt8>, isChecked: Bool = true) throws(RecordError) {
    let view = try RecordView(record, isChecked: isChecked)
    self = try Fact(view)
  }

  /// Reads the fact of a record in place.
  ///
  /// Nothing is allocated for events that state no member in `FactDetail.Fields`, such as reports
  /// of progress.
  ///
  /// - Throws: `RecordError` if a length in the record exceeds the record.
  /// - Complexity: O(*n*) in the size of the record.
  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      position: record.position, kind: record.kind, source: record.source,
      environment: record.environment, statedOccurredAt: record.occurredAt.microseconds,
      recordedAt: record.recordedAt.microseconds, sequence: record.sequence ?? Fact.absentSequence,
      idPrefix: record.idPrefix)
    let numbers = record.envelopeNumbers
    app = numbers[.app]
    account = numbers[.account]
    device = numbers[.device]
    session = numbers[.session]
    payment = numbers[.payment]
    product = numbers[.product]
    transaction = numbers[.transaction]
    original = numbers[.originalTransaction]
    download = numbers[.download]
    var members = record.fields
    var details: FactDetail.Fields?
    while try members.next() {
      switch members.tag {
      case .signedAt: signedAt = members.instant?.microseconds ?? Fact.absentTime
      case .progress: progress = members.double
      case let tag where FactDetail.Fields.reads(tag):
        var fields = details ?? FactDetail.Fields()
        details = nil
        fields.read(members, of: record)
        details = fields
      default: break
      }
    }
    if record.hasError { details = (details ?? FactDetail.Fields()).withError() }
    if record.kind == .accountLinked || record.kind == .accountTransferred,
      record.dataNameCount == 1
    {
      var fields = details ?? FactDetail.Fields()
      fields.to = record.dataNumber(0)
      details = fields
    }
    detail = details.map { FactDetail($0) }
  }
}

extension FactDetail.Fields {
  /// Whether the reducer reads the member.
  fileprivate static func reads(_ tag: RecordTag) -> Bool {
    switch tag {
    case .purchasedAt, .expiresAt, .gracePeriodExpiresAt, .until, .quantity, .percent, .amount,
      .contentVersion, .pathHash, .digest, .entitlement, .unit, .host, .isUpgraded, .ownership,
      .required, .allowed, .excludedFromBackup, .downloads, .products, .invalid:
      true
    default: false
    }
  }

  fileprivate consuming func withError() -> Self {
    hasError = true
    return self
  }

  /// Stores the member that `member` has advanced to.
  fileprivate mutating func read(
    _ member: borrowing RecordFields, of record: borrowing RecordView
  ) {
    switch member.tag {
    case .purchasedAt: purchasedAt = member.instant?.microseconds ?? Fact.absentTime
    case .expiresAt: expiresAt = member.instant?.microseconds ?? Fact.absentTime
    case .gracePeriodExpiresAt:
      gracePeriodExpiresAt = member.instant?.microseconds ?? Fact.absentTime
    case .until: until = member.instant?.microseconds ?? Fact.absentTime
    case .quantity: quantity = member.integer ?? 1
    case .percent: percentMillionths = member.millionths ?? Self.wholePercentMillionths
    case .amount: amount = member.integer ?? 0
    case .contentVersion: contentVersion = member.string.map { Name($0) }
    case .pathHash: pathHash = member.hash
    case .digest: digest = member.string.map { Name($0) }
    case .entitlement: entitlement = member.string.map { Name($0) }
    case .unit: unit = member.string.map { Name($0) }
    case .host: host = member.isString("own") ? .own : .store
    case .isUpgraded: isUpgraded = member.boolean ?? false
    case .ownership: familyShared = member.isString("familyShared")
    case .required: required = member.boolean ?? false
    case .allowed: allowed = member.boolean
    case .excludedFromBackup: excludedFromBackup = member.boolean
    case .downloads: readDownloads(member.jsonValue, record)
    case .products: readProducts(member.jsonValue, record)
    case .invalid: readInvalid(record)
    default: break
    }
  }

  private mutating func readDownloads(_ value: JSONValue?, _ record: borrowing RecordView) {
    for (index, download) in (value?.array ?? []).enumerated() where index < record.dataNameCount {
      downloads.append(
        FactDetail.Announced(
          download: record.dataNumber(index),
          contentVersion: download["contentVersion"]?.string.map { Name($0) },
          host: download["host"]?.string.map { $0 == "own" ? .own : .store }))
    }
  }

  private mutating func readProducts(_ value: JSONValue?, _ record: borrowing RecordView) {
    for (index, product) in (value?.array ?? []).enumerated() where index < record.dataNameCount {
      let number = record.dataNumber(index)
      if record.kind == .catalogSet {
        definitions.append(ProductDefinition(product: number, product))
      } else {
        offered.append(
          FactDetail.Offered(
            product: number,
            contentVersion: product["contentVersion"]?.string.map { Name($0) }))
      }
    }
  }

  /// The numbers of `invalid` come after those of the products.
  private mutating func readInvalid(_ record: borrowing RecordView) {
    var members = record.fields
    var productCount = 0
    do throws(RecordError) {
      while try members.next() {
        if members.tag == .products { productCount = members.jsonValue?.array?.count ?? 0 }
      }
    } catch {
      return  // The caller steps over the same bytes and throws.
    }
    guard productCount < record.dataNameCount else { return }
    invalid = (productCount..<record.dataNameCount).map { record.dataNumber($0) }
  }
}

extension ProductDefinition {
  /// Reads one entry of a `catalog.set`.
  fileprivate init(product: NameNumber, _ value: JSONValue) {
    let kind: Kind =
      switch value["kind"]?.string {
      case "consumable": .consumable
      case "autoRenewable": .autoRenewable
      case "nonRenewing": .nonRenewing
      default: .nonConsumable
      }
    self.init(
      product: product, kind: kind,
      entitlements: (value["entitlements"]?.array ?? []).compactMap { $0.string.map { Name($0) } },
      grants: (value["grants"]?.object ?? []).map {
        Grant(unit: Name($0.name), amount: $0.value.integer ?? 0)
      },
      duration: value["duration"]?.string.flatMap { CalendarDuration(iso8601: $0) })
  }
}
