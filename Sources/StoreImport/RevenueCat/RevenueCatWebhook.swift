import LedgerEvents

/// Reads webhooks of RevenueCat.
struct RevenueCatWebhook {
  private let event: StoreObject
  private let place: String
  private let options: ImportOptions
  private let type: String
  private let id: String
  private let saidAt: Instant
  private let environment: StoreEnvironment
  /// Whether the webhook or the command line states the environment.
  private let isEnvironmentStated: Bool
  /// The beginning of the ids of its events. The same webhook can be imported for two environments
  /// if it states none.
  private let idPrefix: String

  /// What a file of webhooks says, and how many webhooks are about other stores.
  static func statements(
    _ bytes: [UInt8], _ options: ImportOptions
  ) throws(ImportError) -> (statements: [RevenueCatStatement], otherStores: [String: Int]) {
    var statements: [RevenueCatStatement] = []
    var others: [String: Int] = [:]
    var apps: Set<String> = []
    for (place, document) in try StoreDocuments.read(bytes, ImportFormat.revenueCat.described) {
      do throws(ImportError) {
        let event = try Self.event(in: document)
        if let store = try event.text("store"), !RevenueCatMeaning.stores.contains(store) {
          others[store, default: 0] += 1
          continue
        }
        if let app = try event.text("app_id") { apps.insert(app) }
        statements.append(try RevenueCatWebhook(event, place, options).statement())
      } catch { throw error.at(place) }
    }
    if let app = options.app, apps.count > 1 {
      throw ImportError(
        .contradiction, path: "app_id",
        reason: "the file is about \(apps.count) apps, and --app says that it is about \(app)",
        remedy: "Split the file by app_id, or leave the app out")
    }
    return (statements, others)
  }

  private static func event(in document: StoreJSON) throws(ImportError) -> StoreObject {
    guard let event = document["event"], event.isObject else {
      let other = OtherFormat(document)
      throw ImportError(
        .otherFormat, path: "event",
        reason: "expected \(ImportFormat.revenueCat.described), found "
          + (other?.what ?? "an object without an event"),
        remedy: other?.remedy ?? "Import what RevenueCat posted, one webhook a line")
    }
    return try StoreObject(event, path: "event")
  }

  private init(
    _ event: StoreObject, _ place: String, _ options: ImportOptions
  ) throws(ImportError) {
    self.event = event
    self.place = place
    self.options = options
    type = try Self.needed("type", event)
    id = try Self.needed("id", event)
    guard let date = try event.eventDate("event_timestamp_ms") else {
      throw Self.missing("event_timestamp_ms", event)
    }
    saidAt = date
    let own = try Self.environment(event, options)
    let stated = own ?? options.environment
    isEnvironmentStated = stated != nil
    let isNeeded = try Self.changesSomething(type, event)
    guard stated != nil || !isNeeded else {
      throw ImportError(
        .missing, path: event.path(of: "environment"),
        reason: "a \(type) without an environment can be about the sandbox's purchases",
        remedy: "Import it in a file of its own and say which it is from: --environment")
    }
    environment = stated ?? .production
    idPrefix = "revenuecat:\(id)" + (own == nil ? ":\(environment.text)" : "")
  }

  /// Whether what a webhook becomes counts for an answer.
  private static func changesSomething(
    _ type: String, _ event: StoreObject
  ) throws(ImportError) -> Bool {
    let meaning = try meaning(of: type, event)
    return meaning.map { $0.kinds != [.notificationReceived] } ?? false
  }

  private static func meaning(
    of type: String, _ event: StoreObject
  ) throws(ImportError) -> RevenueCatMeaning? {
    let reason = try event.text(type == "EXPIRATION" ? "expiration_reason" : "cancel_reason")
    return RevenueCatMeaning.of(type: type, reason: reason)
  }

  private static func needed(
    _ name: String, _ event: StoreObject
  ) throws(ImportError) -> String {
    guard let text = try event.text(name) else { throw missing(name, event) }
    return text
  }

  private static func missing(_ name: String, _ event: StoreObject) -> ImportError {
    ImportError(
      .missing, path: event.path(of: name), reason: "every such webhook needs \(name)",
      remedy: "Check that it is what RevenueCat sent, unmodified")
  }

  /// Returns the environment that a webhook states.
  private static func environment(
    _ event: StoreObject, _ options: ImportOptions
  ) throws(ImportError) -> StoreEnvironment? {
    let stated = try event.text("environment")
    let other = try event.text("purchase_environment")
    guard let text = stated ?? other else { return nil }
    let path = event.path(of: stated == nil ? "purchase_environment" : "environment")
    let environment = try Receipt.environment(named: text, path: path)
    if let named = options.environment, named != environment {
      throw ImportError(
        .contradiction, path: path,
        reason: "it is from \(environment.text), not from \(named.text)",
        remedy: "Leave the environment out, because webhooks state their own")
    }
    return environment
  }

  // MARK: - Statements

  private func statement() throws(ImportError) -> RevenueCatStatement {
    let meaning = try Self.meaning(of: type, event)
    var statement = RevenueCatStatement(
      place: place, saidAt: saidAt, environment: environment,
      linkID: Name("\(idPrefix):linked"))
    for name in ["app_user_id", "original_app_user_id"] {
      if let text = try event.text(name) { statement.accounts.append(Name(text)) }
    }
    statement.accounts += try names("aliases")
    if type == "TRANSFER" { statement.accounts = try names("transferred_to") }
    // Aliases count in an environment.
    if !isEnvironmentStated { statement.accounts = Array(statement.accounts.prefix(1)) }
    let purchase = try purchase(statement.accounts.first)
    statement.transaction = purchase.map { Name($0.transaction) }
    statement.statesOriginal = purchase?.original != nil
    statement.entry = try purchase?.entry(
      path: event.path, event.path(of: "price_in_purchased_currency"))
    // Without a transaction, it is kept as it is.
    if let meaning, meaning.isPurchase, statement.entry != nil {
      statement.isPurchase = true
      return statement
    }
    var events: [Event] = []
    for kind in meaning?.kinds ?? [] {
      events += try self.events(kind, purchase, statement.accounts.first)
    }
    // The aliases alone are what this type says.
    let isAlias = meaning?.kinds == [.accountLinked] && Set(statement.accounts).count > 1
    if events.isEmpty && !isAlias { events = [try received(purchase, statement.accounts.first)] }
    for index in events.indices {
      let suffix = index == 0 ? "" : ":\(index + 1)"
      events[index].id = Name("\(idPrefix)\(suffix)")
    }
    statement.events = events
    return statement
  }

  private func names(_ member: String) throws(ImportError) -> [Name] {
    var names: [Name] = []
    for value in event.members[member]?.elements ?? [] {
      guard case .string(let text) = value.content, !text.isEmpty else {
        throw ImportError(
          .badValue, path: event.path(of: member),
          reason: "expected app user ids, found \(value.described)",
          remedy: "Check that it is what RevenueCat sent, unmodified")
      }
      names.append(Name(text))
    }
    return names
  }

  /// The price that it states, as it is written; a text is read as a number is.
  private func price() throws(ImportError) -> String? {
    let member = "price_in_purchased_currency"
    guard let value = event.members[member] else { return nil }
    switch value.content {
    case .null, .string(""): return nil
    case .number(let price), .string(let price): return price
    case .boolean, .array, .object:
      throw ImportError(
        .badValue, path: event.path(of: member),
        reason: "expected a price such as 4.99, found \(value.described)",
        remedy: "Check that it is what RevenueCat sent, unmodified")
    }
  }

  /// Returns the purchase that the webhook is about; nil if it does not say.
  private func purchase(_ account: Name?) throws(ImportError) -> RevenueCatPurchase? {
    // The transaction of a temporary grant is RevenueCat's own.
    guard type != "TEMPORARY_ENTITLEMENT_GRANT", let transaction = try event.text("transaction_id"),
      let product = try event.text("product_id"),
      let purchasedAt = try event.eventDate("purchased_at_ms")
    else { return nil }
    var purchase = RevenueCatPurchase(
      transaction: transaction, original: try event.text("original_transaction_id"),
      product: product, purchasedAt: purchasedAt, account: account)
    purchase.expiresAt = try event.eventDate("expiration_at_ms")
    purchase.isFamilyShared = try event.flag("is_family_share") == true
    purchase.price = try price()
    if purchase.price != nil { purchase.currency = try event.text("currency") }
    let period = try event.text("period_type")
    purchase.isTrial = period == "TRIAL"
    purchase.isIntroductory = period == "INTRO"
    purchase.offer = try event.text("offer_code")
    return purchase
  }

  /// Returns the events of a kind; none if the webhook lacks what they need.
  private func events(
    _ kind: EventKind, _ purchase: RevenueCatPurchase?, _ account: Name?
  ) throws(ImportError) -> [Event] {
    switch kind {
    case .notificationReceived: return []
    case .accountTransferred: return try transferred()
    case .accountLinked: return []
    case .entitlementGranted: return try granted(account)
    default: break
    }
    guard let purchase else { return [] }
    var data = EventData.Builder()
    var date = saidAt
    switch kind {
    case .subscriptionAutoRenewChanged:
      data.set("autoRenew", type == "UNCANCELLATION")
      data.set("reason", try event.text("cancel_reason"))
    case .subscriptionBillingFailed: date = purchase.date(of: kind, saidAt: saidAt)
    case .subscriptionGracePeriodEntered:
      guard let end = try event.eventDate("grace_period_expiration_at_ms") else { return [] }
      data.set("gracePeriodExpiresAt", end)
      date = purchase.date(of: kind, saidAt: saidAt)
    case .subscriptionExpired:
      let reason = try event.text("expiration_reason")
      data.set("expiresAt", purchase.expiresAt)
      data.set("reason", reason.map { Self.endReasons[$0] ?? $0 })
      // A failure that the store noticed before that, and that is imported later, does not hide it.
      data.set("signedAt", saidAt)
      // The store tried to bill it after its end. Otherwise it ended then, and what was bought
      // between the end and the webhook stands.
      if reason != "BILLING_ERROR", let end = purchase.expiresAt { date = min(end, saidAt) }
    case .subscriptionPlanChanged: data.set("toProduct", try event.text("new_product_id"))
    case .subscriptionRenewalExtended: data.set("expiresAt", purchase.expiresAt)
    case .transactionRefunded:
      data.set("reason", try event.text("cancel_reason"))
      // What the store signed about it says more, such as how much was refunded.
      data.set("signedAt", purchase.purchasedAt)
      data.set(Event.reporter, Event.revenueCat)
    case .transactionRefundReversed:
      data.set("signedAt", saidAt)
      data.set(Event.reporter, Event.revenueCat)
    default: break
    }
    data.set("notificationType", type)
    return [made(kind, at: date, purchase, nil, data)]
  }

  /// The reasons of `subscription.expired`, in the words for the store's `expiration_intent`.
  private static let endReasons = [
    "UNSUBSCRIBE": "cancelled", "BILLING_ERROR": "billingError",
    "PRICE_INCREASE": "priceIncreaseDeclined", "UNKNOWN": "unknown",
  ]

  private func made(
    _ kind: EventKind, at date: Instant, _ purchase: RevenueCatPurchase?, _ account: Name?,
    _ data: EventData.Builder
  ) -> Event {
    Event(
      id: Name(idPrefix), type: EventType(kind), occurredAt: date,
      source: EventSource(.notification), environment: environment, app: options.app,
      account: account, product: purchase.map { Name($0.product) },
      transaction: purchase.map { Name($0.transaction) },
      originalTransaction: purchase?.original.map { Name($0) },
      data: data.build())
  }

  private func transferred() throws(ImportError) -> [Event] {
    let (from, to) = (try names("transferred_from"), try names("transferred_to"))
    guard let receiver = to.first else { return [] }
    var data = EventData.Builder()
    data.set("to", receiver)
    data.set("reason", "RevenueCat's TRANSFER")
    return from.filter { !to.contains($0) }.map { giver in
      var event = made(.accountTransferred, at: saidAt, nil, giver, data)
      event.source = EventSource(.server)
      return event
    }
  }

  /// Returns the entitlements that RevenueCat gave while the store could not be asked.
  private func granted(_ account: Name?) throws(ImportError) -> [Event] {
    guard let account, let until = try event.eventDate("expiration_at_ms") else { return [] }
    var events: [Event] = []
    for entitlement in try names("entitlement_ids") {
      var data = EventData.Builder()
      data.set("entitlement", entitlement)
      data.set("until", until)
      data.set("reason", "RevenueCat's TEMPORARY_ENTITLEMENT_GRANT")
      var event = made(.entitlementGranted, at: saidAt, nil, account, data)
      event.source = EventSource(.server)
      events.append(event)
    }
    return events
  }

  /// What is not kept of a webhook: attributes of the customer, such as an address.
  private static let leftOut: Set<String> = ["subscriber_attributes", "type"]

  /// Returns the webhook with its members.
  private func received(
    _ purchase: RevenueCatPurchase?, _ account: Name?
  ) throws(ImportError) -> Event {
    var data = EventData.Builder()
    data.set("notificationType", type)
    for member in try event.value().object ?? [] where !Self.leftOut.contains(member.name) {
      if member.name != "notificationType" { data.set(member.name, member.value) }
    }
    return made(.notificationReceived, at: saidAt, purchase, purchase == nil ? account : nil, data)
  }
}
