import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerQueries

struct Assign: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Records whose a purchase without an account is.",
    usage: "daybook assign <transaction> <account> --operator <who> --reason <why> [<options>]",
    discussion: """
      Appends transaction.assigned: the transaction, and the rest of its chain, belong to the \
      account from then on. `daybook transactions --ownerless` lists what nobody has. A purchase \
      that somebody has is refused: that takes `daybook transfer`. If the account is a UUID, \
      `daybook pull set-token` tells the store, too, which then states it in renewals. Example:

        daybook assign 2000000201 hiker-1 --operator kim --reason "ticket 4711: bought by code"
      """)

  @Argument(help: "The transaction.", transform: Parse.name)
  var transaction: Name

  @Argument(
    help: "The customer's account.", completion: Completions.accounts, transform: Parse.name)
  var account: Name

  @OptionGroup var options: OperatorOptions

  func validate() throws { try options.requireReason() }

  func run() throws {
    var condition: AppendCondition?
    try answering { condition = try refuseOwned() }
    var event = options.event(.transactionAssigned, account: account)
    event.transaction = transaction
    var act = OperatorAct(options: options, event: event, accounts: [account])
    act.condition = condition.map { holds in
      let shown = transaction.text.printable
      return (
        holds,
        "somebody recorded something else of transaction \(shown) meanwhile: see `daybook events "
          + "--transaction \(shown)`, and assign it again if nobody has it."
      )
    }
    try act.run()
  }

  /// Refuses a transaction that the ledger does not know, and one that somebody else has. Returns
  /// the condition that nothing more has become known of it when it is assigned.
  private func refuseOwned() throws -> AppendCondition? {
    guard options.ledger.isThere else { return nil }
    let environment = options.environment?.environment ?? .production
    let (transaction, account) = (transaction, account)
    let found = try options.ledger.read { (view) throws(LedgerError) in
      try view.assignability(of: transaction, to: account, environment: environment)
    }
    let shown = transaction.text.printable
    switch found {
    case .free(let condition): return condition
    case .unknown:
      throw InputProblem(
        "the ledger knows no transaction \(shown) in \(environment.text): check the spelling and "
          + "--environment. `daybook transactions --ownerless` lists what nobody has.")
    case .elsewhere(let other):
      throw InputProblem(
        "transaction \(shown) is of \(other.text), not of \(environment.text): pass "
          + "--environment \(other.text).")
    case .erased:
      throw InputProblem(
        "transaction \(shown) belonged to a customer who was erased, and stays nobody's.")
    case .owned(let owner):
      throw InputProblem(
        "transaction \(shown) belongs to \(owner.text.printable), and an assignment "
          + "never takes a purchase away. `daybook transfer` moves everything that an account has.")
    }
  }
}
