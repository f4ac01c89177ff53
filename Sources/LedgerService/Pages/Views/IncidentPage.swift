import LedgerEvents
import LedgerQueries
import Replay

/// The replay of a customer, a transaction or some positions, made when it is asked for.
struct IncidentPage: Sendable {
  static let parameters = ["account", "transaction", "from", "to"]
  /// How many events are replayed. The page has them all in memory.
  static let eventsMax = 20_000

  let slice: ReplaySlice

  init(_ items: QueryItems) throws(Problem) {
    var slice = ReplaySlice()
    slice.account = try items.name("account")
    slice.transaction = try items.name("transaction")
    let positions = 1...UInt64.max
    let from = try items.number("from", in: positions)
    let to = try items.number("to", in: positions)
    if let from { slice.from = from }
    if let to { slice.to = to }
    self.slice = slice
    guard slice.account == nil || slice.transaction == nil else {
      throw Problem(.badRequest, "Name an account or a transaction, and not both.")
    }
    guard slice.account != nil || slice.transaction != nil || from != nil && to != nil else {
      throw Problem(
        .badRequest, "Name an account, a transaction, or positions with from and to.")
    }
    guard slice.from <= slice.to else {
      throw Problem(.badRequest, "from must not be later than to.")
    }
  }

  /// Whom it is about.
  var subject: Subject {
    if let account = slice.account { return .connected(.account(account)) }
    if let transaction = slice.transaction { return .connected(.transaction(transaction)) }
    return .connected(nil)
  }

  private var title: String {
    if let account = slice.account { return "account \(account.text)" }
    if let transaction = slice.transaction { return "transaction \(transaction.text)" }
    return "positions \(slice.from) to \(slice.to)"
  }

  /// The replay's page, with a policy of its own.
  ///
  /// - Throws: `LedgerError`, `notFound` if there is nothing to replay, or too much.
  func answer(_ view: LedgerView) throws(LedgerError) -> PageAnswer {
    let positions = try view.replayPositions(slice)
    guard !positions.steps.isEmpty else {
      throw LedgerError(.notFound, "There is no event of \(title) to replay.")
    }
    guard positions.positions.count <= Self.eventsMax else {
      throw LedgerError(
        .notFound,
        "\(title) rests on \(positions.positions.count) events, and a page takes "
          + "\(Self.eventsMax): use `daybook replay --html`, or name positions with from and to.")
    }
    let events = try view.replayEvents(slice)
    let history = ReplayHistory(Replay(events))
    let page = TimelinePage(title: title, history: history, events: events)
    return .document(
      page.html, policy: TimelinePage.policy + "; frame-ancestors 'none'")
  }
}
