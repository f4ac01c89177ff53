import LedgerEvents

/// All events in the fold order, each with its environment. It spans all environments.
struct Arrangement {
  let events: [Seen]
  /// The first transaction that an event with this payment names.
  let transactionOfPayment: [Name: Name]
  private var firstOfTransaction: [TransactionKey: StoreEnvironment] = [:]
  private var firstOfSession: [DeviceSession: StoreEnvironment] = [:]

  struct DeviceSession: Hashable {
    var device: Name?
    var session: Name
  }

  init(_ recorded: [RecordedEvent], at moment: Instant?) {
    var events = recorded.map { Seen($0) }
    if let moment { events.removeAll { $0.at > moment.microseconds } }
    events.sort(by: Seen.precedes)
    self.events = events
    var bound: [Name: Name] = [:]
    for seen in events where seen.kind != .unknown {
      guard let payment = seen.event.payment, let transaction = seen.event.transaction else {
        continue
      }
      if bound[payment] == nil { bound[payment] = transaction }
    }
    transactionOfPayment = bound
    for seen in events {
      guard let stated = seen.event.environment else { continue }
      if let key = key(of: seen), firstOfTransaction[key] == nil {
        firstOfTransaction[key] = stated
      }
      if let session = seen.event.session {
        let span = DeviceSession(device: seen.event.device, session: session)
        if firstOfSession[span] == nil { firstOfSession[span] = stated }
      }
    }
  }

  /// Returns the transaction of an event: the one it names, else the one of its payment.
  func key(of seen: Seen) -> TransactionKey? {
    if let transaction = seen.event.transaction { return .named(transaction) }
    guard let payment = seen.event.payment else { return nil }
    if let transaction = transactionOfPayment[payment] { return .named(transaction) }
    return .payment(payment)
  }

  /// Returns the environment in which an event is folded; nil for all environments.
  func environment(of seen: Seen) -> StoreEnvironment? {
    if let stated = seen.event.environment { return stated }
    if seen.subject == "catalog" || seen.subject == "account" { return nil }
    if let key = key(of: seen) { return firstOfTransaction[key] ?? .production }
    guard let session = seen.event.session else { return .production }
    return firstOfSession[DeviceSession(device: seen.event.device, session: session)]
      ?? .production
  }

  /// Returns the findings of `environment-mixed`: the first event of a transaction that states
  /// another environment.
  func mixedEnvironments() -> [(environment: StoreEnvironment, position: UInt64)] {
    var reported: Set<TransactionKey> = []
    var found: [(environment: StoreEnvironment, position: UInt64)] = []
    for seen in events {
      guard let stated = seen.event.environment, let key = key(of: seen),
        let first = firstOfTransaction[key], first != stated, reported.insert(key).inserted
      else { continue }
      found.append((stated, seen.position))
    }
    return found
  }
}
