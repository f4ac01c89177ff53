import ArgumentParser
import LedgerEvents
import LedgerModel
import LedgerStore

/// An operator's event, appended, and what it changed for the customers whom it names.
struct OperatorAct {
  let options: OperatorOptions
  let event: Event
  /// The accounts that the event names.
  let accounts: [Name]

  /// What one customer has, before or after.
  private struct Holding {
    var active: [Name]
    var balances: [Name: Int64]
  }

  func run() throws {
    try answering {
      if options.dryRun {
        try check()
        return Console.print(bytes: EventEncoder().encode(event))
      }
      let ledger = try Ledger(at: options.ledger.path, access: .readWrite)
      try refuseUnknown(ledger)
      let before = try accounts.map { try holding($0, ledger) }
      let result = try ledger.appendAndWait([EventInput(event: try dated(ledger))])
      let after = try accounts.map { try holding($0, ledger) }
      try ledger.foldBeforeLeaving()
      print(result, before, after)
    }
  }

  private func check() throws {
    do throws(EventError) { try event.validate() } catch {
      throw InputProblem("\(error)")
    }
  }

  /// The event as it was appended before under its id, so that the same command is the same event.
  private func dated(_ ledger: Ledger) throws -> Event {
    guard options.id != nil, options.time.occurredAt == nil else { return event }
    let id = event.id
    let known = try ledger.read { (view) throws(LedgerError) in try view.event(withID: id) }
    var dated = event
    if let known { dated.occurredAt = known.event.occurredAt }
    return dated
  }

  private func refuseUnknown(_ ledger: Ledger) throws {
    guard !options.isNewAccount else { return }
    for account in accounts {
      let answer = try answer(account, ledger)
      // What was transferred to an account stands with it, though no event states it yet.
      guard answer.isKnown || !answer.entries.isEmpty || !answer.balances.isEmpty else {
        throw InputProblem(
          "no event states the account \(TextTable.printable(account.text)): look whether it is "
            + "written right, or say --new-account where it is a new one.")
      }
    }
  }

  private func answer(_ account: Name, _ ledger: Ledger) throws -> EntitlementsAnswer {
    let environments = [options.environment?.environment ?? .production]
    return try ledger.read { (view) throws(LedgerError) in
      try view.entitlements(
        of: .account(account), environments: environments, now: EventLog.systemClock())
    }
  }

  private func holding(_ account: Name, _ ledger: Ledger) throws -> Holding {
    let answer = try answer(account, ledger)
    return Holding(
      active: answer.active,
      balances: [Name: Int64](
        answer.balances.map { ($0.unit, $0.amount) }, uniquingKeysWith: { first, _ in first }))
  }

  private func print(_ result: AppendResult, _ before: [Holding], _ after: [Holding]) {
    guard let outcome = result.outcomes.first else { return }
    let (position, isDuplicate) =
      switch outcome {
      case .appended(let position): (position, false)
      case .duplicate(let position): (position, true)
      }
    switch options.format {
    case .table, .jsonl:
      Console.print(
        isDuplicate
          ? "was done already, at position \(position)" : "appended at position \(position)")
      var isChanged = false
      for (place, account) in accounts.enumerated() {
        for line in Self.lines(before[place], after[place]) {
          isChanged = true
          Console.print(TextTable.printable("\(account.text): \(line)"))
        }
      }
      if !isChanged { Console.print("nobody has more or less by it now") }
    case .json:
      var json = JSONText()
      json.object { json in
        json.member("id", event.id)
        json.member("position", position)
        json.member("duplicate", isDuplicate)
        json.member(
          "changes",
          array: { json in
            for (place, account) in accounts.enumerated() {
              Self.write(account, before[place], after[place], to: &json)
            }
          })
      }
      Console.print(json.text)
    }
  }

  private static func lines(_ before: Holding, _ after: Holding) -> [String] {
    var lines = gained(before, after).map { "has \($0.text) now" }
    lines += gained(after, before).map { "has \($0.text) no more" }
    for (unit, was, now) in balances(before, after) {
      lines.append("\(unit.text) \(was) → \(now)")
    }
    return lines
  }

  private static func gained(_ before: Holding, _ after: Holding) -> [Name] {
    after.active.filter { !before.active.contains($0) }
  }

  private static func balances(
    _ before: Holding, _ after: Holding
  ) -> [(unit: Name, before: Int64, after: Int64)] {
    Set(before.balances.keys).union(after.balances.keys).sorted().compactMap { unit in
      let (was, now) = (before.balances[unit] ?? 0, after.balances[unit] ?? 0)
      return was == now ? nil : (unit, was, now)
    }
  }

  private static func write(
    _ account: Name, _ before: Holding, _ after: Holding, to json: inout JSONText
  ) {
    json.object { json in
      json.member("account", account)
      json.member("gained", strings: gained(before, after).map(\.text))
      json.member("lost", strings: gained(after, before).map(\.text))
      json.member(
        "balances",
        array: { json in
          for (unit, was, now) in balances(before, after) {
            json.object { json in
              json.member("unit", unit)
              json.member("before", was)
              json.member("after", now)
            }
          }
        })
    }
  }
}

extension Event {
  /// The event with a member of its data more.
  func adding(_ name: String, _ text: String?) -> Event {
    guard let text else { return self }
    var event = self
    event.data.members.append(EventData.Member(name: name, json: JSONValue.string(text).json))
    return event
  }
}
