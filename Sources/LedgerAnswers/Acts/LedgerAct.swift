package import Audit
package import LedgerEvents
package import LedgerQueries

/// An operator's event for a ledger: what it names and what it would change are looked up before it
/// is appended, and what it changed afterwards.
package struct LedgerAct: Sendable {
  /// What a ledger has never heard of. It may be new, and is more often a typing mistake.
  package enum Unknown: Sendable {
    case account(Name)
    case product(Name, near: Name?)
  }

  package let event: Event
  /// The accounts that the event names.
  package let accounts: [Name]
  /// A product that the ledger must know; `nil` if there is none.
  package let product: Name?
  /// Whether an account that no event states is accepted.
  package let acceptsNewAccounts: Bool
  /// Whether the caller chose the id, so that a repetition is the same event.
  package let isRepeatable: Bool

  /// - Parameters:
  ///   - event: The event.
  ///   - accounts: The accounts that it names.
  ///   - product: A product that the ledger must know.
  ///   - acceptsNewAccounts: Whether an account that no event states is accepted.
  ///   - isRepeatable: Whether the event takes the time of an earlier one with its id, so that
  ///     repeating the act appends the same event.
  package init(
    _ event: Event, accounts: [Name], product: Name? = nil, acceptsNewAccounts: Bool,
    isRepeatable: Bool
  ) {
    self.event = event
    self.accounts = accounts
    self.product = product
    self.acceptsNewAccounts = acceptsNewAccounts
    self.isRepeatable = isRepeatable
  }

  private var environment: StoreEnvironment { event.environment ?? .production }

  /// The first name that the ledger does not know; `nil` if it knows all of them.
  ///
  /// - Parameter view: The ledger.
  /// - Throws: `LedgerError`.
  package func unknown(_ view: LedgerView) throws(LedgerError) -> Unknown? {
    if let product, try view.number(of: .product, product) == nil {
      return .product(product, near: try view.nearestName(to: product, of: .product))
    }
    guard !acceptsNewAccounts else { return nil }
    for account in accounts {
      let answer = try view.entitlements(
        of: .account(account), environments: [environment], now: EventLog.systemClock())
      // An account can hold what was transferred to it although no event states the account yet.
      if !answer.isKnown, answer.entries.isEmpty, answer.balances.isEmpty {
        return .account(account)
      }
    }
    return nil
  }

  /// What the event would change; nothing if the ledger already has it.
  ///
  /// - Parameter view: The ledger.
  /// - Throws: `LedgerError`.
  package func proposed(_ view: LedgerView) throws(LedgerError) -> [CustomerDifference] {
    if try view.event(withID: event.id) != nil { return [] }
    return try view.differences(
      appending: event, accounts: accounts, environments: [environment],
      now: EventLog.systemClock())
  }

  /// Appends the event, durably.
  ///
  /// - Parameters:
  ///   - ledger: Where to.
  ///   - condition: What must still hold when it is written.
  /// - Throws: `LedgerError`.
  @available(*, noasync, message: "blocks its thread")
  package func append(
    to ledger: Ledger, if condition: AppendCondition? = nil
  ) throws(LedgerError) -> AppendOutcome {
    var dated = event
    if isRepeatable {
      let id = event.id
      let known = try ledger.read { (view) throws(LedgerError) in try view.event(withID: id) }
      if let known { dated.occurredAt = known.event.occurredAt }
    }
    return try ledger.appendAndWait(
      [EventInput(event: dated)], options: AppendOptions(condition: condition)
    ).outcomes[0]
  }

  /// What the event changed for the customers that it names. Both sides are judged at one moment,
  /// so that time alone changes nothing.
  ///
  /// - Parameters:
  ///   - outcome: What appending it has led to.
  ///   - view: The ledger with the event.
  /// - Throws: `LedgerError`.
  package func differences(
    by outcome: AppendOutcome, _ view: LedgerView
  ) throws(LedgerError) -> [CustomerDifference] {
    guard case .appended(let position) = outcome else { return [] }
    let moment = max(EventLog.systemClock(), event.occurredAt)
    var found: [CustomerDifference] = []
    for account in accounts {
      try view.differences(
        from: .position(position - 1), to: .position(position), account: account,
        environments: [environment], at: moment
      ) { difference in
        found.append(difference)
        return true
      }
    }
    return found
  }

  /// The answer about an act that was done.
  ///
  /// - Parameters:
  ///   - outcome: What appending it has led to.
  ///   - changes: What it changed.
  package func json(_ outcome: AppendOutcome, _ changes: [CustomerDifference]) -> String {
    var json = JSONText()
    json.object { json in
      json.member("id", event.id)
      json.member("position", outcome.position)
      if case .duplicate = outcome {
        json.member("duplicate", true)
      } else {
        json.member("duplicate", false)
      }
      json.member("changes", each: changes) { $1.write(to: &$0) }
    }
    return json.text
  }
}

extension Event {
  /// An operator's event.
  ///
  /// - Parameters:
  ///   - type: What is done.
  ///   - id: Its id.
  ///   - account: Whose it is.
  ///   - environment: The environment that it applies to, if it is stated.
  ///   - actor: Who acts.
  ///   - reason: Why; `nil` for a note, which is its own reason.
  ///   - time: When.
  package static func act(
    _ type: EventKind, id: Name, account: Name, environment: StoreEnvironment?, by actor: String,
    because reason: String?, at time: Instant
  ) -> Event {
    var data = EventData.Builder()
    data.set("operator", actor)
    data.set("reason", reason)
    return Event(
      id: id, type: EventType(type), occurredAt: time, source: EventSource(.operator),
      environment: environment, account: account, data: data.build())
  }

  /// The event with an additional member in its data.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - text: Its value; nothing is added for `nil`.
  package func adding(_ name: String, _ text: String?) -> Event {
    guard let text else { return self }
    var event = self
    event.data.members.append(EventData.Member(name: name, json: JSONValue.string(text).json))
    return event
  }
}
