import LedgerEvents

// The store signs a notification again when it sends it again. What has no date but that of the
// signature counts from the copy that was imported first. If that is the later one, it stands after
// what happened between the two. Then the older copy is recorded beside it, and what it hides is
// recorded again after it: the answers are those that they would have been in the other order.

/// The kinds whose copies are recorded beside each other.
private let copiedKinds: Set<EventKind> = [
  .transactionRefundReversed, .subscriptionRenewalExtended, .subscriptionBillingFailed,
  .subscriptionGracePeriodEntered, .subscriptionBillingRecovered,
]

extension KnownPurchases {
  /// Returns an older copy of an event that the ledger has with a later date, under an id of its
  /// own; nil if the ledger does not have it, or not with a later date.
  func olderCopy(_ event: Event) -> Event? {
    guard let known = recorded[event.id], known.type == event.type,
      copiedKinds.contains(event.type.kind),
      known.isDatedBySignature, event.isDatedBySignature, event.occurredAt < known.occurredAt,
      known.transaction == event.transaction, known.isUnverified == event.isUnverified
    else { return nil }
    var older = event
    older.id = Name("\(Self.copyPrefix(of: event.id))\(event.occurredAt.microseconds / 1_000)")
    return older.id.text.utf8.count <= eventIDBytesMax ? older : nil
  }

  private static let copyMark = ":signed:"

  private static func copyPrefix(of id: Name) -> String { "\(id)\(copyMark)" }

  /// Whether an id is that of an older copy: the mark, and digits after it.
  private static func isCopy(_ id: Name) -> Bool {
    let text = id.text.utf8
    var end = text.endIndex
    while end > text.startIndex {
      let last = text.index(before: end)
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[last] else { break }
      end = last
    }
    return text[..<end].suffix(copyMark.utf8.count).elementsEqual(copyMark.utf8)
  }

  /// Whether copies are known of what an event is about.
  private func hasCopies(beside event: Event) -> Bool {
    if let name = event.transaction, let facts = facts[name],
      facts.contains(where: { Self.isCopy($0.id) })
    {
      return true
    }
    guard let chain = event.originalTransaction ?? event.transaction else { return false }
    return renewals[chain]?.contains { Self.isCopy($0.event.id) } ?? false
  }

  /// Returns what later copies of notifications hide, with a date right after them: the refund
  /// after a reversal, the extension after an extension, the recovery after a failure.
  ///
  /// The end of a subscription is not recorded again: dated later, it could end a period that was
  /// bought in the meantime.
  ///
  /// - Parameter events: What a statement says. Its transactions and chains are looked at.
  /// - Complexity: O(*n*) in the known facts of those, for each copy.
  func hiddenByCopies(of events: [Event], key: [UInt8]) -> [Event] {
    guard events.contains(where: hasCopies) else { return [] }
    var lists: [[Event]] = []
    for name in Set(events.compactMap(\.transaction)).sorted() { lists.append(facts[name] ?? []) }
    for name in Set(events.compactMap { $0.originalTransaction ?? $0.transaction }).sorted() {
      lists.append((renewals[name] ?? []).map(\.event))
    }
    var again: [Event] = []
    for list in lists {
      for pair in Self.copies(list) {
        guard let hidden = pair.hidden(among: list) else { continue }
        again.append(hidden.recorded(after: pair.later, key: key))
      }
    }
    return again.filter { recorded[$0.id] == nil }
  }

  private static func copies(_ events: [Event]) -> [Copies] {
    var pairs: [Copies] = []
    guard events.contains(where: { isCopy($0.id) }) else { return [] }
    for later in events where copiedKinds.contains(later.type.kind) && later.isDatedBySignature {
      let prefix = copyPrefix(of: later.id)
      let older = events.filter { $0.id.text.hasPrefix(prefix) && $0.type == later.type }
      guard let first = older.min(by: { $0.occurredAt < $1.occurredAt }) else { continue }
      pairs.append(Copies(older: first, later: later))
    }
    return pairs
  }
}

/// Two copies of what a notification says.
private struct Copies {
  let older: Event
  let later: Event

  /// The events that decide together with these, and by which date.
  private var rivals: (kinds: Set<EventKind>, date: (Event) -> Instant) {
    switch later.type.kind {
    case .transactionRefundReversed:
      ([.transactionRefunded, .transactionRevoked, .transactionRefundReversed], \.orderingDate)
    case .subscriptionRenewalExtended:
      ([.subscriptionRenewalExtended, .subscriptionBillingRecovered], \.orderingDate)
    default: (KnownRenewals.billing, \.occurredAt)
    }
  }

  /// Returns the last event between the two, if it decided against them.
  func hidden(among events: [Event]) -> Event? {
    let (kinds, date) = rivals
    let isOfChain = KnownRenewals.billing.contains(later.type.kind)
    let between = events.filter {
      kinds.contains($0.type.kind) && date(older) < date($0) && date($0) < date(later)
        && (isOfChain || $0.transaction == later.transaction)
    }
    let last = between.max {
      (date($0), $0.occurredAt, $0.id) < (date($1), $1.occurredAt, $1.id)
    }
    guard let last else { return nil }
    switch (later.type.kind, last.type.kind) {
    case (.transactionRefundReversed, .transactionRefunded),
      (.transactionRefundReversed, .transactionRevoked),
      (.subscriptionRenewalExtended, .subscriptionRenewalExtended),
      (.subscriptionBillingFailed, .subscriptionBillingRecovered),
      (.subscriptionGracePeriodEntered, .subscriptionBillingRecovered):
      return last
    default: return nil
    }
  }
}

extension Event {
  /// The date by which facts about one transaction are ordered.
  fileprivate var orderingDate: Instant { data.instant("signedAt") ?? occurredAt }

  /// Returns the event again, right after another one, under an id of its own.
  fileprivate func recorded(after other: Event, key: [UInt8]) -> Event {
    var again = self
    let date = Instant(microseconds: other.orderingDate.microseconds + 1)
    var data = EventData.Builder()
    data.set("signedAt", date)
    again.data.members.removeAll { $0.name == "signedAt" }
    again.data.members += data.build().members
    // What is ordered by the signature keeps its own date.
    if type.kind == .subscriptionBillingRecovered { again.occurredAt = date }
    again.id =
      FactIdentifier(
        app: app?.text ?? "", environment: environment?.text ?? "",
        transaction: transaction?.text ?? "",
        fact: "\(Receipt.verb(of: type.kind))Again", moments: [date], varying: [id.text], key: key
      ).name
    return again
  }
}
