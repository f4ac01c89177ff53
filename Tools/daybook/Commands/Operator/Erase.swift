import ArgumentParser
import LedgerEvents
import LedgerStore

struct Erase: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Forgets a customer: destroys what identifies the person.",
    discussion: """
      Appends account.erased and destroys the keys under which the names of the customer's \
      accounts, of devices and sessions that nobody else used, and the personal texts of the \
      customer's events are sealed, in every environment. Nothing brings them back. Positions, \
      totals, findings by rule, roots and every old proof stay; exports show erased:NUMBER. The \
      reason stays readable: name nobody in it. Copies of the ledger's key file, where it is \
      backed up, have to be replaced by the file as it is now. Example:

        daybook erase reader-1 --operator kim --reason "request 88 of 3 March"
      """)

  @Argument(
    help: "The customer's account: what is linked with it is forgotten with it.",
    transform: Parse.name)
  var account: Name

  @OptionGroup var options: OperatorOptions

  func validate() throws {
    try options.requireReason()
    guard options.environment == nil else {
      throw ValidationError(
        "a customer is forgotten in every environment: leave out --environment.")
    }
    guard !options.isNewAccount else {
      throw ValidationError("a new account has nothing to forget: leave out --new-account.")
    }
  }

  func run() throws {
    let event = options.event(.accountErased, account: account)
    try answering {
      if options.dryRun {
        return Console.print(bytes: EventEncoder().encode(event))
      }
      let ledger = try Ledger(at: options.ledger.path, access: .readWrite)
      let result: ErasureResult
      do throws(LedgerError) { result = try ledger.erase(event) } catch {
        guard error.code == .notFound else { throw error }
        throw InputProblem(
          "no event states the account \(TextTable.printable(account.text)): look whether it is "
            + "written right.")
      }
      try ledger.fold()
      print(result, keys: ledger.keyFile, event.id)
    }
  }

  private func print(_ result: ErasureResult, keys: String, _ id: Name) {
    switch options.format {
    case .table, .jsonl:
      Console.print(
        result.isDuplicate
          ? "was erased already, at position \(result.position)"
          : "erased at position \(result.position)")
      Console.print(
        "destroyed: \(result.names) names of accounts, devices and sessions, the personal data of "
          + "\(result.texts) events")
      Console.print("replace the backups of \(keys): they still open what was erased")
    case .json:
      var json = JSONText()
      json.object { json in
        json.member("id", id)
        json.member("position", result.position)
        json.member("duplicate", result.isDuplicate)
        json.member("names", result.names)
        json.member("texts", result.texts)
        json.member("keys", keys)
      }
      Console.print(json.text)
    }
  }
}
