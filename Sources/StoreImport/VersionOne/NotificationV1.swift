import LedgerEvents
import SignedStoreData

/// One server notification of version 1: the receipt in it, and what its type says besides.
struct NotificationV1 {
  /// The name of this format, as stated by `import.received`.
  static let format = ImportFormat.notificationV1.rawValue

  let type: String
  /// The purchases and renewal states in it, dated by ``saidAt``.
  let receipt: Receipt
  /// When it happened; else when it was sent. The same for every copy, if the store dates it.
  let saidAt: Instant?

  private let place: String
  private let whole: StoreObject
  /// The object with the purchases: `unified_receipt`, or the notification itself until 2020.
  private let answer: StoreObject
  private let meaning: NotificationV1Meaning?
  /// The newest purchase of the subscription, or the product, that it is about.
  private let newest: ReceiptTransaction?
  private let key: [UInt8]

  init(
    _ document: StoreJSON, at place: String, _ options: ImportOptions
  ) throws(ImportError) {
    whole = try StoreObject(document, path: "")
    self.place = place
    guard let type = try whole.text("notification_type") else { throw Self.notOne(document) }
    self.type = type
    meaning = NotificationV1Meaning.of(type)
    let unified = try whole.object("unified_receipt")
    answer = unified ?? whole
    if answer.members["status"] != nil, let refusal = try VerifyReceipt.refusal(of: answer),
      refusal.status != VerifyReceipt.expiredStatus
    {
      throw refusal
    }
    key = options.digestKey
    let environment = try Self.environment(whole, answer, options)
    var options = options
    let createdAt = try Self.createdAt(answer)
    let sentAt = options.askedAt ?? createdAt
    options.askedAt = nil
    let origin = try Self.origin(whole, answer)
    let undated = try Receipt(answer, notification: origin, options: options)
    newest = try Self.newest(whole, undated)
    saidAt =
      try Self.date(meaning?.occurrence ?? .sending, whole, undated, newest) ?? sentAt
    options.askedAt = saidAt
    receipt = try Receipt(answer, notification: origin, options: options).of(environment)
  }

  private static func notOne(_ document: StoreJSON) -> ImportError {
    let other = OtherFormat(document)
    return ImportError(
      .otherFormat, path: "notification_type",
      reason: "expected \(ImportFormat.notificationV1.described), found "
        + (other?.what ?? "an object without a notification_type"),
      remedy: other?.remedy ?? "Import what the store sent to the server, one a line")
  }

  // MARK: - Reading

  /// - Throws: `ImportError`, also if the notification and the receipt in it contradict each other.
  private static func environment(
    _ whole: StoreObject, _ answer: StoreObject, _ options: ImportOptions
  ) throws(ImportError) -> StoreEnvironment {
    var found: (environment: StoreEnvironment, path: String)?
    for object in [whole, answer] {
      guard let text = try object.text("environment") else { continue }
      let path = object.path(of: "environment")
      let environment = try Receipt.environment(named: text, path: path)
      if let found, found.environment != environment {
        throw ImportError(
          .contradiction, path: path,
          reason: "the receipt is from \(environment.text), and the notification from "
            + found.environment.text,
          remedy: "Do not believe it: the store does not mix environments")
      }
      found = (environment, path)
    }
    if let found, let named = options.environment, found.environment != named {
      throw ImportError(
        .contradiction, path: found.path,
        reason: "it is from \(found.environment.text), not from \(named.text)",
        remedy: "Leave the environment out, because this file states its own")
    }
    guard let environment = found?.environment ?? options.environment else {
      throw ImportError(
        .missing, path: "environment", reason: "the notification does not state its environment",
        remedy: "Pass it with --environment: production for real purchases, sandbox for tests")
    }
    return environment
  }

  /// Returns the object that states the app: the notification, or until 2020 the purchase in it.
  private static func origin(
    _ whole: StoreObject, _ answer: StoreObject
  ) throws(ImportError) -> StoreObject {
    if whole.members["bid"] != nil { return whole }
    for name in ["latest_receipt_info", "latest_expired_receipt_info"] {
      for entry in try answer.objects(name) where entry.members["bid"] != nil { return entry }
    }
    return whole
  }

  /// Returns when the store made the receipt that it sent with the notification, which is when it
  /// sent the notification. Nobody verifies the receipt here.
  private static func createdAt(_ answer: StoreObject) throws(ImportError) -> Instant? {
    for name in ["latest_receipt", "latest_expired_receipt"] {
      guard case .string(let text)? = answer.members[name]?.content else { continue }
      do throws(SignedDataError) {
        let createdAt = try AppReceipt(unverified: Array(text.utf8)).createdAt
        if let createdAt, createdAt.isInRange { return createdAt }
      } catch {
        // A receipt of before 2014, or something else in its place: it has no date.
        continue
      }
    }
    return nil
  }

  private static func newest(
    _ whole: StoreObject, _ receipt: Receipt
  ) throws(ImportError) -> ReceiptTransaction? {
    let original = try original(whole, receipt)
    // The oldest notifications say which period they are about.
    let line = try whole.text("web_order_line_item_id")
    let isSubscription = try whole.text("auto_renew_product_id") != nil
    var newest: (isNamed: Bool, at: Instant, purchase: ReceiptTransaction)?
    for purchase in receipt.purchases {
      if let original, try Name(purchase.original()) != original { continue }
      let isPeriod = try purchase.expiresAt() != nil
      var isNamed = !isSubscription || isPeriod
      if let line { isNamed = try purchase.newest.text("web_order_line_item_id") == line }
      let date = try purchase.purchasedAt()
      if let known = newest,
        (known.isNamed ? 1 : 0, known.at, Name(known.purchase.transaction))
          >= (isNamed ? 1 : 0, date, Name(purchase.transaction))
      {
        continue
      }
      newest = (isNamed, date, purchase)
    }
    return newest?.purchase
  }

  /// Returns the chain that it is about; nil if it does not say.
  private static func original(
    _ whole: StoreObject, _ receipt: Receipt
  ) throws(ImportError) -> Name? {
    if let original = try whole.text("original_transaction_id") { return Name(original) }
    guard let product = try whole.text("auto_renew_product_id") else { return nil }
    var originals: Set<Name> = []
    for subject in receipt.renewals.subjects
    where try subject.entry.text(.nextProduct) == product {
      originals.insert(Name(subject.original))
    }
    return originals.count == 1 ? originals.first : nil
  }

  private static func date(
    _ occurrence: NotificationV1Meaning.Occurrence, _ whole: StoreObject, _ receipt: Receipt,
    _ newest: ReceiptTransaction?
  ) throws(ImportError) -> Instant? {
    switch occurrence {
    case .purchase: return try newest?.purchasedAt()
    case .end:
      // After the end, whichever of the two is imported first.
      return try newest?.expiresAt().map { Instant(microseconds: $0.microseconds + 1) }
    case .change: return try whole.eventDate("auto_renew_status_change_date")
    case .sending: return nil
    case .cancellation:
      if let date = try whole.eventDate("cancellation_date") { return date }
      var dates: [Instant] = []
      for purchase in receipt.purchases {
        if let date = try purchase.date(.revocationDate) { dates.append(date) }
      }
      return dates.max()
    }
  }
}

// MARK: - Facts

extension NotificationV1 {
  /// Returns the facts that a ledger lacks, without ownership, and adds them to what is known.
  func facts(_ known: inout KnownPurchases) throws(ImportError) -> [Event] {
    do throws(ImportError) {
      var facts: [Event] = []
      for event in try own() {
        // A copy has the same id, and can be dated by another receipt.
        let event = known.recorded[event.id] ?? event
        facts.append(event)
        known.add(event, saidAt: saidAt ?? event.occurredAt)
        if let again = try lapsedAgain(after: event, known) {
          facts.append(again)
          known.add(again, saidAt: again.occurredAt)
        }
      }
      for event in try receipt.facts(known) {
        facts.append(event)
        known.add(event, saidAt: max(saidAt ?? event.occurredAt, event.occurredAt))
      }
      return facts
    } catch { throw error.at(place) }
  }

  /// The period that a failed renewal is about, as a renewal state of the receipt would name it.
  func failedSubject() throws(ImportError) -> RenewalSubject? {
    guard meaning?.kinds.contains(.subscriptionBillingFailed) == true, let newest else {
      return nil
    }
    return RenewalSubject(
      entry: whole, original: try newest.original(), product: newest.product, period: newest,
      periodEnd: try newest.expiresAt())
  }

  /// Returns the end of the period again, which the store stated after this failure, if it was
  /// imported first.
  private func lapsedAgain(
    after event: Event, _ known: KnownPurchases
  ) throws(ImportError) -> Event? {
    guard event.type.kind == .subscriptionBillingFailed, let subject = try failedSubject() else {
      return nil
    }
    let renewals = KnownRenewals(states: known.renewals[Name(subject.original)] ?? [])
    return try receipt.lapsedAgain(subject, renewals, after: KnownRenewals.Failure(event))
  }

  /// Returns what the type says and the receipt does not.
  func own() throws(ImportError) -> [Event] {
    guard let meaning else { return [try received()] }
    var stated = try receipt.facts(KnownPurchases())
    if try whole.eventDate("cancellation_date") != nil {
      // It is about one period, and the receipt can state that others were refunded.
      stated.removeAll { $0.transaction != newest.map { Name($0.transaction) } }
    }
    var events: [Event] = []
    var isStated = false
    for kind in meaning.kinds {
      if stated.contains(where: { isAbout($0, kind) }) {
        isStated = true
      } else if let event = try event(kind) {
        events.append(event)
      }
    }
    return events.isEmpty && !isStated ? [try received()] : events
  }

  /// Whether a fact of the receipt is what the notification says.
  private func isAbout(_ fact: Event, _ kind: EventKind) -> Bool {
    switch kind {
    case .transactionPurchased, .subscriptionRenewed:
      [.transactionPurchased, .subscriptionRenewed].contains(fact.type.kind)
    case .transactionRefunded, .transactionRevoked:
      // An upgrade is a cancellation, too.
      [.transactionRefunded, .transactionRevoked].contains(fact.type.kind)
        || fact.data.boolean("isUpgraded") == true
    case .subscriptionBillingFailed:
      [.subscriptionBillingFailed, .subscriptionGracePeriodEntered].contains(fact.type.kind)
    default: fact.type.kind == kind
    }
  }

  /// Returns the event of a kind; nil if the notification lacks what it needs.
  private func event(_ kind: EventKind) throws(ImportError) -> Event? {
    guard let newest else { return nil }
    var data = EventData.Builder()
    switch kind {
    case .transactionPurchased, .subscriptionRenewed: return nil
    case .transactionRefunded, .transactionRevoked:
      return try cancelled(newest, kind)
    case .subscriptionPlanChanged:
      let stated = try whole.text("auto_renew_product_id")
      let next = try nextProduct()
      guard let product = stated ?? next else { return nil }
      data.set("toProduct", product)
    case .subscriptionAutoRenewChanged:
      guard let autoRenew = try whole.flag("auto_renew_status") else { return nil }
      data.set("autoRenew", autoRenew)
      data.set("toProduct", try whole.text("auto_renew_product_id"))
    default: break
    }
    data.set("notificationType", type)
    guard let date = saidAt else { throw Self.undated(path: "notification_type", type) }
    let original = try newest.original()
    let isDated = meaning?.occurrence != .sending
    // After the grace period of the same time, in the order of ids.
    let name = kind == .subscriptionBillingRecovered ? "recovered" : Receipt.verb(of: kind)
    var event = receipt.event(
      EventType(kind), named: name, about: original, at: date, product: newest.product,
      transaction: newest.transaction, original: original, data, moments: isDated ? [date] : [],
      varying: data.contents + [newest.transaction])
    event.source = EventSource(.notification)
    return event
  }

  private func nextProduct() throws(ImportError) -> String? {
    for subject in receipt.renewals.subjects {
      if let product = try subject.entry.text(.nextProduct) { return product }
    }
    return nil
  }

  /// Returns the refund that only the notification dates, as until 2020. It is the fact that a
  /// receipt states.
  private func cancelled(
    _ purchase: ReceiptTransaction, _ kind: EventKind
  ) throws(ImportError) -> Event? {
    guard let date = try whole.eventDate("cancellation_date") else { return nil }
    var data = EventData.Builder()
    data.set("revokedAt", date)
    return receipt.event(
      EventType(kind), named: Receipt.verb(of: kind), about: purchase.transaction, at: date,
      product: purchase.product, transaction: purchase.transaction,
      original: try purchase.original(), data, moments: [date], varying: [])
  }

  /// The members that are never kept: the secret, the receipts, which are as good as one, and the
  /// purchases, which are facts of their own.
  private static let leftOut: Set<String> = [
    "password", "latest_receipt", "latest_expired_receipt", "latest_receipt_info",
    "latest_expired_receipt_info", "notification_type",
  ]

  /// Returns the notification with its members.
  private func received() throws(ImportError) -> Event {
    guard let date = saidAt else { throw Self.undated(path: "notification_type", type) }
    var data = EventData.Builder()
    data.set("notificationType", type)
    for member in Self.kept(try whole.value()).object ?? [] {
      if member.name != "notificationType" { data.set(member.name, member.value) }
    }
    let identifier = FactIdentifier(
      app: receipt.app?.text ?? "", environment: receipt.environment.text,
      transaction: try newest?.original() ?? "", fact: "received",
      varying: [newest?.transaction ?? ""] + Self.sorted(data.contents), key: key)
    return Event(
      id: identifier.name, type: EventType(.notificationReceived), occurredAt: date,
      source: EventSource(.notification), environment: receipt.environment, app: receipt.app,
      product: newest.map { Name($0.product) }, transaction: newest.map { Name($0.transaction) },
      originalTransaction: try newest.map { purchase throws(ImportError) in
        Name(try purchase.original())
      }, data: data.build())
  }

  /// The order of members says nothing.
  private static func sorted(_ contents: [String]) -> [String] {
    stride(from: 0, to: contents.count - 1, by: 2)
      .map { (name: contents[$0], value: contents[$0 + 1]) }.sorted { $0.name < $1.name }
      .flatMap { [$0.name, $0.value] }
  }

  /// The value without what is never kept, its members in the order of their names.
  private static func kept(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members):
      .object(
        members.filter { !leftOut.contains($0.name) }.sorted { $0.name < $1.name }
          .map { (name: $0.name, value: kept($0.value)) })
    case .array(let elements): .array(elements.map(kept))
    default: value
    }
  }

  private static func undated(path: String, _ type: String) -> ImportError {
    ImportError(
      .missing, path: path,
      reason: "\(type) has no date of its own, and no receipt with one is in the notification",
      remedy: "Pass the time when the notification came with --asked-at TIME")
  }

  /// - Throws: `ImportError`, with the code `notBelieved` if the password is not as expected. The
  ///   error does not say what it is.
  /// - Returns: Whether it was compared.
  static func believed(
    _ document: StoreJSON, _ trust: PasswordTrust
  ) throws(ImportError) -> Bool {
    let secrets: SharedSecrets
    switch trust {
    case .unverified: return false
    case .noSecret:
      throw ImportError(
        .notBelieved, path: "password",
        reason: "nobody signed this, and there is no secret to compare its password with",
        remedy: "Pass a file with the app's shared secret with --shared-secret-file; or pass "
          + "--unverified if you trust where the file is from")
    case .compared(let known): secrets = known
    }
    guard case .string(let password)? = document["password"]?.content else {
      throw ImportError(
        .notBelieved, path: "password", reason: "expected the shared secret, found none",
        remedy: "Do not believe it; or pass --unverified if you removed it yourself")
    }
    guard secrets.hold(password) else {
      throw ImportError(
        .notBelieved, path: "password", reason: "it is not the shared secret",
        remedy: "Do not believe it, unless the secret was changed: then add the old one to "
          + "--shared-secret-file")
    }
    return true
  }
}
