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

  private var act: LedgerAct {
    LedgerAct(
      event, accounts: accounts, product: product, acceptsNewAccounts: options.isNewAccount,
      isRepeatable: options.id != nil && options.time.occurredAt == nil)
  }

  func run() throws {
    try answering {
      let act = act
      if options.dryRun {
        try check()
        if options.ledger.isThere {
          let ledger = try Ledger(at: options.ledger.path, access: .readOnly)
          preview(try proposed(ledger))
        }
        return Console.print(bytes: EventEncoder().encode(event))
      }
      let ledger = try options.ledger.openForChanges()
      try refuseUnknown(ledger)
      if asks, !options.yes, Consent.canAsk { try consent(ledger) }
      let outcome = try append(ledger)
      let changes = try ledger.read { (view) throws(LedgerError) in
        try act.differences(by: outcome, view)
      }
      try ledger.foldBeforeLeaving()
      print(outcome, changes)
    }
  }

  private func append(_ ledger: Ledger) throws -> AppendOutcome {
    do throws(LedgerError) {
      return try act.append(to: ledger, if: condition?.holds)
    } catch {
      guard error.code == .conditionFailed, let condition else { throw error }
      throw InputProblem(condition.otherwise)
    }
  }

  private func check() throws {
    do throws(EventError) { try event.validate() } catch {
      throw InputProblem("\(error)")
    }
  }

  private func proposed(_ ledger: Ledger) throws -> [CustomerDifference] {
    let act = act
    return try ledger.read { (view) throws(LedgerError) in try act.proposed(view) }
  }

  private func preview(_ differences: [CustomerDifference]) {
    let lines = differences.flatMap(\.lines)
    Console.complain(
      lines.isEmpty ? "this would change no customer's entitlements" : "this would change:")
    for line in lines { Console.complain("  " + line.printable) }
  }

  /// Shows what would change for whom, and throws if the user does not agree.
  private func consent(_ ledger: Ledger) throws {
    try check()
    preview(try proposed(ledger))
    guard Consent.isGiven(to: "Append \(event.type.text)?") else {
      throw InputProblem("nothing was appended.")
    }
  }

  private func refuseUnknown(_ ledger: Ledger) throws {
    let act = act
    switch try ledger.read({ (view) throws(LedgerError) in try act.unknown(view) }) {
    case nil: return
    case .account(let account):
      throw InputProblem(
        "no event states the account \(account.text.printable): check the "
          + "spelling, or add --new-account if it is a new one.")
    case .product(let product, let near):
      throw InputProblem(
        ("no catalogue and no event names the product \(product.text)"
          + (near.map { "; did you mean \($0.text)?" } ?? ".")
          + " If it is a new one, add --allow-unknown.").printable)
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
      for line in lines { Console.print(line.printable) }
      if lines.isEmpty { Console.print("no customer's entitlements changed") }
    case .json, .jsonl: Console.print(act.json(outcome, differences))
    }
  }
}
