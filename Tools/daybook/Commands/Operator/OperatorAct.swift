import ArgumentParser
import Audit
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

/// Appends an operator's event, and shows what it changed for the customers that it names.
struct OperatorAct {
  let options: OperatorOptions
  let event: Event
  /// The accounts that the event names.
  let accounts: [Name]
  /// A product that the ledger must know; `nil` if there is none.
  var product: Name?
  /// Whether to ask first, if somebody can be asked.
  var asks = true
  /// What must still hold when the event is written, and what to say if it does not.
  var condition: (holds: AppendCondition, otherwise: String)?

  func run() throws {
    try answering {
      if options.dryRun {
        try check()
        if options.ledger.isThere {
          let ledger = try Ledger(at: options.ledger.path, access: .readOnly)
          preview(try proposed(ledger))
        }
        return Console.print(bytes: EventEncoder().encode(event))
      }
      let ledger = try Ledger(at: options.ledger.path, access: .readWrite)
      try refuseUnknown(ledger)
      if asks, !options.yes, Consent.canAsk { try consent(ledger) }
      let outcome = try append(ledger)
      let changes = try outcome.map { try differences(by: $0, ledger) } ?? []
      try ledger.foldBeforeLeaving()
      if let outcome { print(outcome, changes) }
    }
  }

  private func append(_ ledger: Ledger) throws -> AppendOutcome? {
    do {
      return try ledger.appendAndWait(
        [EventInput(event: try dated(ledger))],
        options: AppendOptions(condition: condition?.holds)
      ).outcomes.first
    } catch let error as LedgerError where error.code == .conditionFailed {
      throw condition.map { InputProblem($0.otherwise) } ?? error
    }
  }

  private func check() throws {
    do throws(EventError) { try event.validate() } catch {
      throw InputProblem("\(error)")
    }
  }

  /// What the event would change; nothing if the ledger already has it.
  private func proposed(_ ledger: Ledger) throws -> [CustomerDifference] {
    let (event, accounts, environment) = (event, accounts, environment)
    return try ledger.read { (view) throws(LedgerError) in
      if try view.event(withID: event.id) != nil { return [] }
      return try view.differences(
        appending: event, accounts: accounts, environments: [environment],
        now: EventLog.systemClock())
    }
  }

  private func preview(_ differences: [CustomerDifference]) {
    let lines = differences.flatMap(\.lines)
    Console.complain(
      lines.isEmpty ? "this would change no customer's entitlements" : "this would change:")
    for line in lines { Console.complain("  " + TextTable.printable(line)) }
  }

  /// Shows what would change for whom, and throws if the user does not agree.
  private func consent(_ ledger: Ledger) throws {
    try check()
    preview(try proposed(ledger))
    guard Consent.isGiven(to: "Append \(event.type.text)?") else {
      throw InputProblem("nothing was appended.")
    }
  }

  /// The event with the time of an earlier append under its id, so that repeating a command appends
  /// the same event.
  private func dated(_ ledger: Ledger) throws -> Event {
    guard options.id != nil, options.time.occurredAt == nil else { return event }
    let id = event.id
    let known = try ledger.read { (view) throws(LedgerError) in try view.event(withID: id) }
    var dated = event
    if let known { dated.occurredAt = known.event.occurredAt }
    return dated
  }

  private func refuseUnknown(_ ledger: Ledger) throws {
    try refuseUnknownProduct(ledger)
    guard !options.isNewAccount else { return }
    for account in accounts {
      let answer = try ledger.read { (view) throws(LedgerError) in
        try view.entitlements(
          of: .account(account), environments: [environment], now: EventLog.systemClock())
      }
      // An account can hold what was transferred to it although no event states the account yet.
      guard answer.isKnown || !answer.entries.isEmpty || !answer.balances.isEmpty else {
        throw InputProblem(
          "no event states the account \(TextTable.printable(account.text)): check the "
            + "spelling, or add --new-account if it is a new one.")
      }
    }
  }

  private func refuseUnknownProduct(_ ledger: Ledger) throws {
    guard let product else { return }
    var isKnown = true
    var near: Name?
    try ledger.read { (view) throws(LedgerError) in
      isKnown = try view.number(of: .product, product) != nil
      if !isKnown { near = try view.nearestName(to: product, of: .product) }
    }
    guard !isKnown else { return }
    throw InputProblem(
      TextTable.printable(
        "no catalogue and no event names the product \(product.text)"
          + (near.map { "; did you mean \($0.text)?" } ?? ".")
          + " If it is a new one, add --allow-unknown."))
  }

  private var environment: StoreEnvironment { options.environment?.environment ?? .production }

  /// What the event changed for the customers that it names. Both sides are judged at one moment,
  /// so that time alone changes nothing.
  private func differences(
    by outcome: AppendOutcome, _ ledger: Ledger
  ) throws -> [CustomerDifference] {
    guard case .appended(let position) = outcome else { return [] }
    let moment = max(EventLog.systemClock(), event.occurredAt)
    return try ledger.read { (view) throws(LedgerError) in
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
  }

  private func print(_ outcome: AppendOutcome, _ differences: [CustomerDifference]) {
    let (position, isDuplicate) =
      switch outcome {
      case .appended(let position): (position, false)
      case .duplicate(let position): (position, true)
      }
    switch options.format {
    case .table:
      if isDuplicate { return Console.print("already done, at position \(position)") }
      Console.print("appended at position \(position)")
      let lines = differences.flatMap(\.lines)
      for line in lines { Console.print(TextTable.printable(line)) }
      if lines.isEmpty { Console.print("no customer's entitlements changed") }
    case .json, .jsonl:
      var json = JSONText()
      json.object { json in
        json.member("id", event.id)
        json.member("position", position)
        json.member("duplicate", isDuplicate)
        json.member("changes", each: differences) { $1.write(to: &$0) }
      }
      Console.print(json.text)
    }
  }
}

extension Event {
  /// The event with an additional member in its data.
  func adding(_ name: String, _ text: String?) -> Event {
    guard let text else { return self }
    var event = self
    event.data.members.append(EventData.Member(name: name, json: JSONValue.string(text).json))
    return event
  }
}
