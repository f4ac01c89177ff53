internal import LedgerEvents
internal import LedgerModel
internal import LedgerQueries
internal import LedgerStore
internal import Synchronization

/// Whether a webhook for some apps may be told a message, by what the log says now.
///
/// It is told about customers who have events of these apps and of no others, as a token for some
/// apps is. What the log says later than the look that has found the message can only refuse more.
final class AppCheck: Sendable {
  private struct Question: Hashable {
    var customer: NameNumber
    var apps: [Name]
  }

  private let ledger: Ledger
  /// The customers who were looked at in this step. One has often several messages.
  private let known = Mutex<[Question: Bool]>([:])

  init(_ ledger: Ledger) { self.ledger = ledger }

  /// - Parameter apps: The apps of the webhook; empty for every app.
  /// - Complexity: O(*n*) in the events of the customer's unit, once for each customer; O(1) for
  ///   every app.
  /// - Throws: ``LedgerError``.
  func admit(_ message: Message, for apps: [Name]) throws(LedgerError) -> Bool {
    if apps.isEmpty { return true }
    return try ledger.read { (view) throws(LedgerError) in
      if let event = message.event,
        try view.holding(ofEventAt: event, among: Set(apps)).isOthers
      {
        return false
      }
      for customer in [message.customer] + message.others {
        if try !isTheirs(customer, apps, view) { return false }
      }
      return true
    }
  }

  private func isTheirs(
    _ customer: NameNumber, _ apps: [Name], _ view: LedgerView
  ) throws(LedgerError) -> Bool {
    let question = Question(customer: customer, apps: apps)
    if let answer = known.withLock({ $0[question] }) { return answer }
    let answer = try Self.isTheirs(customer, Set(apps), view)
    known.withLock { $0[question] = answer }
    return answer
  }

  /// Whether the apps have a customer alone. What is about nobody is theirs if its event is.
  private static func isTheirs(
    _ customer: NameNumber, _ apps: Set<Name>, _ view: LedgerView
  ) throws(LedgerError) -> Bool {
    guard customer != 0 else { return true }
    let use = try view.log.name(customer)
    switch use.kind {
    case .account: return try view.holding(of: .account(use.name), among: apps).isTheirsAlone
    case .transaction:
      return try view.holding(of: .transaction(use.name), among: apps).isTheirsAlone
    case .device:
      var query = EventsQuery()
      query.device = use.name
      return try view.holding(of: [query], among: apps).isTheirsAlone
    default: return true
    }
  }
}
