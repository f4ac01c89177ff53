import LedgerEvents

/// What the store said once: a notification, a transaction, a renewal info, an app transaction, or
/// a transaction and the renewal info beside it.
struct StoreStatement {
  /// Where it stands in the file: `line 3`, `signedTransactions[2]`; empty for the whole file.
  let place: String
  let isVerified: Bool
  /// When it was signed; else when the store was asked.
  let signedAt: Instant?
  let app: Name?
  let environment: StoreEnvironment
  var notification: StoreObject?
  var transaction: StoreObject?
  var renewal: StoreObject?
  var appTransaction: StoreObject?
  /// What ``read(_:)`` found.
  private var known: Receipt?

  init(
    place: String, isVerified: Bool, signedAt: Instant?, app: Name?, environment: StoreEnvironment
  ) {
    self.place = place
    self.isVerified = isVerified
    self.signedAt = signedAt
    self.app = app
    self.environment = environment
  }

  /// Reads the purchases and renewal states once, for everything that asks for them.
  mutating func read(_ options: ImportOptions) throws(ImportError) {
    known = try receipt(options)
  }

  /// Purchases and renewal states for the code that makes facts of receipts, too.
  func receipt(_ options: ImportOptions) throws(ImportError) -> Receipt {
    if let known { return known }
    return try Receipt(
      signed: transaction.map { [$0] } ?? [], renewal.map { [$0] } ?? [], signedAt: signedAt,
      app: app, environment: environment, options: options
    ).with(isVerified ? .verified : .unverified)
  }

  /// - Throws: `ImportError` with the place, if the statement lacks what its facts need.
  func check(_ options: ImportOptions) throws(ImportError) {
    do throws(ImportError) {
      let receipt = try receipt(options)
      for purchase in receipt.purchases { _ = try purchase.purchasedAt() }
    } catch { throw error.at(place) }
  }

  /// Returns the facts that a ledger lacks, without ownership, and adds them to what is known.
  func facts(
    _ known: inout KnownPurchases, _ options: ImportOptions
  ) throws(ImportError) -> [Event] {
    do throws(ImportError) {
      let receipt = try receipt(options)
      if let appTransaction, notification == nil {
        return [try receipt.appTransaction(appTransaction, isVerified)]
      }
      var facts: [Event] = []
      var own: [Event] = []
      if let notification {
        let made = try NotificationFacts(
          statement: self, notification: notification, receipt: receipt, known
        ).events
        for event in made {
          let older = known.olderCopy(event)
          let (event, isOther) = try known.asRecorded(event)
          // Then the ledger may lack what the notification carries.
          if !isOther { own.append(event) }
          for event in [event] + (older.map { [$0] } ?? []) {
            facts.append(event)
            known.add(event, saidAt: signedAt ?? event.occurredAt)
          }
        }
      }
      for event in try receipt.facts(known, besides: own) {
        facts.append(event)
        known.add(event, saidAt: max(signedAt ?? event.occurredAt, event.occurredAt))
      }
      for event in known.hiddenByCopies(of: facts, key: options.digestKey) {
        facts.append(event)
        known.add(event, saidAt: event.occurredAt)
      }
      return facts
    } catch {
      throw error.at(place)
    }
  }
}

extension ImportError {
  /// Returns the same error with its place in a file of several documents.
  func at(_ place: String) -> ImportError {
    guard !place.isEmpty, !path.hasPrefix(place) else { return self }
    var error = self
    error.path = path.isEmpty ? place : "\(place), \(path)"
    return error
  }
}

extension KnownPurchases {
  /// Returns an event as the ledger has it, and whether that says something else.
  ///
  /// The store signs a notification again when it sends it again, with another date, and what it
  /// carries, too. A server that appended the notification itself has written its own words.
  ///
  /// - Throws: `ImportError` with the code `contradiction` if the two are not about the same.
  mutating func asRecorded(_ event: Event) throws(ImportError) -> (Event, isOther: Bool) {
    guard let known = recorded[event.id] else { return (event, false) }
    var (left, right) = (known, event)
    for name in ["signedAt", "signedDate", "data", "appData", Event.verified] {
      left.data.members.removeAll { $0.name == name }
      right.data.members.removeAll { $0.name == name }
    }
    let isSignature = known.isDatedBySignature && event.isDatedBySignature
    // An end is dated by what was known of the renewal.
    let isEnd = known.type.kind == .subscriptionExpired && event.type == known.type
    if isSignature || isEnd { right.occurredAt = left.occurredAt }
    if isSignature, event.occurredAt < known.occurredAt { recordedLater.append(event.id) }
    // What is verified now says again what nobody verified then.
    let isBelievedNow = known.isUnverified && !event.isUnverified
    if left.sameContent(as: right) { return (known, isBelievedNow) }
    guard Self.areAboutTheSame(known, event) else {
      throw ImportError(
        .contradiction,
        reason: "the notification \(event.id) is recorded, and says something else there",
        remedy: "A notificationUUID belongs to one notification: check where this one is from")
    }
    recordedOtherwise.append(event.id)
    return (known, true)
  }

  private static func areAboutTheSame(_ known: Event, _ event: Event) -> Bool {
    func agree(_ left: Name?, _ right: Name?) -> Bool {
      left == nil || right == nil || left == right
    }
    let kinds = [known.type.kind, event.type.kind]
    let isSameKind =
      known.type == event.type || known.type.kind == .notificationReceived
      || kinds.allSatisfy(purchaseKinds.contains)
    return isSameKind && agree(known.transaction, event.transaction)
      && agree(known.originalTransaction, event.originalTransaction)
      && agree(known.product, event.product) && agree(known.app, event.app)
      && (known.environment == nil || known.environment == event.environment)
  }
}

extension Event {
  /// Whether the event has no date of its own, but that of the signature.
  var isDatedBySignature: Bool {
    guard let date = data.integer("signedDate") else {
      return data.instant("signedAt") == occurredAt
    }
    let (microseconds, isTooLarge) = date.multipliedReportingOverflow(by: 1_000)
    return !isTooLarge && Instant(microseconds: microseconds) == occurredAt
  }
}

extension Receipt {
  /// Returns the facts of a signed statement that a ledger lacks.
  ///
  /// - Parameter own: What the notification around it states itself.
  func facts(_ known: KnownPurchases, besides own: [Event]) throws(ImportError) -> [Event] {
    let offers = own.filter { $0.type.kind == .subscriptionOfferRedeemed }.map { $0.data["offer"] }
    let billingKinds: [EventKind] = [.subscriptionBillingFailed, .subscriptionGracePeriodEntered]
    let failure = own.filter { billingKinds.contains($0.type.kind) }
      .map { KnownRenewals.Failure($0) }.max()
    let own = own.map(\.type.kind)
    let isBilling = own.contains { billingKinds.contains($0) }
    var facts: [Event] = []
    let isPurchase = own.contains(where: KnownPurchases.purchaseKinds.contains)
    for event in try self.facts(known, withPurchases: !isPurchase) {
      let kind = event.type.kind
      let isEnd = kind == .transactionRefunded || kind == .transactionRevoked
      if isEnd, own.contains(kind) { continue }
      let isOffer = kind == .subscriptionOfferRedeemed
      if isOffer, offers.contains(event.data["offer"]) { continue }
      if isBilling, billingKinds.contains(kind) { continue }
      facts.append(event)
    }
    guard isBilling, let askedAt else { return facts }
    for subject in renewals.subjects {
      let known = KnownRenewals(states: known.renewals[Name(subject.original)] ?? [])
      let statement = KnownRenewals.Failure(at: askedAt)
      let last = max(statement, failure ?? statement)
      guard let again = try lapsedAgain(subject, known, after: last) else { continue }
      if !facts.contains(where: { $0.id == again.id }) { facts.append(again) }
    }
    return facts
  }

  /// Returns the purchase or download of the app itself, which is kept whole.
  func appTransaction(
    _ content: StoreObject, _ isVerified: Bool
  ) throws(ImportError) -> Event {
    var data = EventData.Builder()
    let whole = try content.value()
    data.set("appTransaction", whole)
    let createdAt = try content.eventDate("receiptCreationDate") ?? askedAt
    guard let createdAt else { throw undated("the app transaction has no date") }
    let kind: EventKind = isVerified ? .receiptAccepted : .receiptSubmitted
    let identifier = FactIdentifier(
      app: app?.text ?? "", environment: environment.text, transaction: "app",
      fact: Self.verb(of: kind), moments: [createdAt], varying: data.contents,
      key: options.digestKey)
    return Event(
      id: identifier.name, type: EventType(kind), occurredAt: createdAt,
      source: EventSource(.receipt), environment: environment, app: app, data: data.build())
  }
}

extension StoreObject {
  /// The object with all of its members, but those that are `null`.
  func value() throws(ImportError) -> JSONValue {
    do throws(EventError) {
      return try JSONValue(document: Array(members.source), nulls: .leftOut)
    } catch {
      throw ImportError(
        .badValue, path: path, reason: "it cannot be kept as it is: \(error.reason)",
        remedy: "Check that it is what the store signed, unmodified")
    }
  }
}
