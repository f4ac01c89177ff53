import ArgumentParser
import LedgerAnswers
import LedgerEvents

/// Two accounts that an operator names.
struct TwoAccounts: ParsableArguments {
  @Argument(
    help: "The customer's account.", completion: Completions.accounts, transform: Parse.name)
  var account: Name

  @Argument(help: "The other account.", completion: Completions.accounts, transform: Parse.name)
  var to: Name

  func validate() throws {
    guard account != to else {
      throw ValidationError("both accounts are \(account.text): name two different ones.")
    }
  }

  func event(_ type: EventKind, _ options: OperatorOptions) -> Event {
    options.event(type, account: account).adding("to", to.text)
  }
}

struct Link: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Records that two accounts belong to one customer.",
    usage: "daybook link <account> <other> --operator <who> --reason <why> [<options>]",
    discussion: """
      Appends account.linked: from then on either account has everything that both hold. Only an \
      erasure undoes it. On a terminal it says first what changes for whom, and asks; --yes and \
      scripts are not asked. Example:

        daybook link reader-1 reader-1-old --operator kim --reason "ticket 4711: logged in twice"
      """)

  @OptionGroup var accounts: TwoAccounts
  @OptionGroup var options: OperatorOptions

  func validate() throws { try options.requireReason() }

  func run() throws {
    try OperatorAct(
      options: options, event: accounts.event(.accountLinked, options),
      accounts: [accounts.account, accounts.to]
    ).run()
  }
}

struct Transfer: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Moves everything that a customer holds to another account.",
    usage: "daybook transfer <account> <to> --operator <who> --reason <why> [<options>]",
    discussion: """
      Appends account.transferred: transactions, operators' grants, balances and installed \
      content belong to the other customer from then on. On a terminal it says first what changes \
      for whom, and asks; --yes and scripts are not asked. Example:

        daybook transfer reader-1 reader-2 --operator kim --reason "ticket 4711: sold the phone"
      """)

  @OptionGroup var accounts: TwoAccounts
  @OptionGroup var options: OperatorOptions

  func validate() throws { try options.requireReason() }

  func run() throws {
    try OperatorAct(
      options: options, event: accounts.event(.accountTransferred, options),
      accounts: [accounts.account, accounts.to]
    ).run()
  }
}

struct Note: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Adds a note to a customer's history.",
    usage: "daybook note <account> <text> --operator <who> [<options>]",
    discussion: """
      Appends note.added, which changes nothing and is listed with the customer's events. \
      Example:

        daybook note reader-1 "called about the Alps map, sent the guide" --operator kim
      """)

  @Argument(
    help: "The customer's account.", completion: Completions.accounts, transform: Parse.name)
  var account: Name

  @Argument(help: "The note.")
  var text: String

  @Option(help: "The transaction that it is about.", transform: Parse.name)
  var transaction: Name?

  @OptionGroup var options: OperatorOptions

  func validate() throws {
    guard !Parse.isBlank(text) else { throw ValidationError("the note is empty.") }
    guard options.reason == nil else {
      throw ValidationError("a note is its own reason: leave out --reason.")
    }
  }

  func run() throws {
    var event = options.event(.noteAdded, account: account).adding("text", text)
    event.transaction = transaction
    try OperatorAct(options: options, event: event, accounts: [account], asks: false).run()
  }
}
