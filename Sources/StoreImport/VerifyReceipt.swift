public import LedgerEvents

/// The answers of the store's verifyReceipt, turned into events.
///
/// Read are `receipt.in_app`, `latest_receipt_info` and `pending_renewal_info`, in any order, each
/// of them absent, empty or a single object; and the single purchase that a receipt in the style of
/// iOS 6 is. Each fact is dated by the store's own date of it; what the store says of the present
/// without a date (auto-renewal, billing, consent) is dated by `request_date_ms`.
///
/// One fact is one event, whichever list and whichever file tells it: the events of a purchase
/// state only what every list states (product, dates, quantity). What one list knows and another
/// lacks is a fact of its own beside it (an upgrade, a refund, an offer), or, where it belongs to
/// the purchase (family sharing, the account), it is part of the id.
///
/// Not imported are fields that say nothing about a purchase of this customer: the group of a
/// subscription (a catalogue's to say), `web_order_line_item_id`, and the receipt's own data.
public enum VerifyReceipt {
  /// The name of this format, as `import.received` states it.
  public static let format = ImportFormat.verifyReceipt.rawValue

  /// The events of one answer: `import.received` first, then the facts in the fold's order.
  ///
  /// - Throws: `ImportError`, also where the answer's status is not 0.
  /// - Complexity: O(*n* log *n*) in the number of purchases, O(*m*) in the number of bytes.
  public static func events(
    from bytes: [UInt8], options: ImportOptions
  ) throws(ImportError) -> [Event] {
    do throws(ImportError) {
      if isEncodedReceipt(bytes) { throw encodedReceipt }
      let document = try StoreJSONReader.document(bytes)
      guard case .object = document else { throw notAnObject(document) }
      let answer = try StoreObject(document, path: "")
      try checkStatus(answer)
      let receipt = try Receipt(answer, options: options)
      let facts = try ImportBatch.ordered(try receipt.facts())
      let received = ImportBatch.received(
        format: format, bytes: bytes, events: facts.count, options: options,
        occurredAt: try receipt.importDate(facts), app: receipt.app,
        environment: receipt.environment)
      return try ImportBatch.checked([received] + facts)
    } catch {
      throw error.of(file: options.baseName)
    }
  }

  /// Whether the file is a receipt itself: PKCS#7 in base64, which begins with a long sequence.
  private static func isEncodedReceipt(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "MI".utf8) }

  private static let encodedReceipt = ImportError(
    .otherFormat, reason: "expected the store's answer, found a receipt in base64",
    remedy: "Send the receipt to the store's verifyReceipt and import the answer")

  private static func notAnObject(_ document: StoreJSON) -> ImportError {
    ImportError(
      .otherFormat, reason: "expected an object with a status, found \(document.described)",
      remedy: "Import the JSON that the store's verifyReceipt answered, one answer a file")
  }
}

/// What one answer says, by place and merged by transaction.
struct Receipt {
  let options: ImportOptions
  let app: Name?
  let environment: StoreEnvironment?
  /// When the store answered.
  let requestedAt: Instant?
  /// Each transaction once, in the order in which the answer first lists it.
  let purchases: [ReceiptTransaction]
  /// The entries of `pending_renewal_info`.
  let renewals: [StoreObject]
  /// When the receipt that was sent was made.
  private let createdAt: Instant?

  init(_ answer: StoreObject, options: ImportOptions) throws(ImportError) {
    self.options = options
    let receipt = try answer.object("receipt")
    app = try Self.app(of: receipt, options: options)
    let stated = try Self.environment(answer, receipt)
    environment = stated ?? options.environment
    requestedAt = try receipt?.date("request_date")
    createdAt = try receipt?.date("receipt_creation_date")
    renewals = try answer.objects("pending_renewal_info")
    purchases = try Self.merged(try Self.entries(answer, receipt))
  }

  /// Every listed purchase, the newer list first.
  private static func entries(
    _ answer: StoreObject, _ receipt: StoreObject?
  ) throws(ImportError) -> [StoreObject] {
    var entries = try answer.objects("latest_receipt_info")
    guard let receipt else { return entries }
    entries += try receipt.objects("in_app")
    // A receipt in the style of iOS 6 is one purchase itself.
    if receipt.members["transaction_id"] != nil { entries.append(receipt) }
    return entries
  }

  private static func merged(
    _ entries: [StoreObject]
  ) throws(ImportError) -> [ReceiptTransaction] {
    var merged: [ReceiptTransaction] = []
    var places: [Name: Int] = [:]
    for entry in entries {
      let transaction = try ReceiptTransaction(entry)
      let name = Name(transaction.transaction)
      if let place = places[name] {
        try merged[place].add(entry)
      } else {
        places[name] = merged.count
        merged.append(transaction)
      }
    }
    return merged
  }

  private static func app(
    of receipt: StoreObject?, options: ImportOptions
  ) throws(ImportError) -> Name? {
    let bundle = try receipt?.text("bundle_id")
    let old = try receipt?.text("bid")
    guard let stated = bundle ?? old else { return options.app }
    if let app = options.app, app != Name(stated) {
      throw ImportError(
        .contradiction, path: bundle == nil ? "receipt.bid" : "receipt.bundle_id",
        reason: "the receipt is for the app \"\(stated)\", not for \"\(app)\"",
        remedy: "Leave the app out: a receipt says its own; or import the receipt of that app")
    }
    return Name(stated)
  }

  private static func environment(
    _ answer: StoreObject, _ receipt: StoreObject?
  ) throws(ImportError) -> StoreEnvironment? {
    if let text = try answer.text("environment") {
      switch text.lowercased() {
      case "production": return .production
      case "sandbox": return .sandbox
      case "xcode": return .xcode
      case "localtesting": return .localTesting
      default:
        throw ImportError(
          .badValue, path: "environment",
          reason: "expected Production, Sandbox, Xcode or LocalTesting, found \"\(text)\"",
          remedy: "Check that the file is what the store gave")
      }
    }
    switch try receipt?.text("receipt_type") {
    case "Production", "ProductionVPP": return .production
    case "ProductionSandbox", "ProductionVPPSandbox", "Sandbox": return .sandbox
    case "Xcode": return .xcode
    default: return nil
    }
  }

  func facts() throws(ImportError) -> [Event] {
    var facts: [Event] = []
    for purchase in purchases { facts += try self.facts(of: purchase) }
    for renewal in renewals { facts += try self.facts(of: renewal) }
    return facts
  }

  /// When the answer was given; the same for the same file.
  func importDate(_ facts: [Event]) throws(ImportError) -> Instant {
    let dates = [requestedAt, createdAt, facts.last?.occurredAt]
    guard let date = dates.compactMap({ $0 }).first(where: \.isInRange) else {
      throw Self.undated("the answer and its receipt have no date")
    }
    return date
  }

  static func undated(_ reason: String) -> ImportError {
    ImportError(
      .missing, path: "receipt.request_date_ms", reason: reason,
      remedy: "Add request_date_ms to the receipt: the milliseconds at which the store answered")
  }
}
