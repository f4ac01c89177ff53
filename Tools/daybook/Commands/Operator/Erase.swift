import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore

struct Erase: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Erases a customer: destroys the keys of what identifies the person.",
    usage: "daybook erase <account> --operator <who> --reason <why> [<options>]",
    discussion: """
      Appends account.erased and destroys the keys that encrypt, in every environment, the names \
      of the customer's accounts, of devices and sessions that nobody else used, and the personal \
      texts of the customer's events. This cannot be undone. Positions, totals, findings by rule, \
      roots and every old proof stay; exports show erased:NUMBER. Who of the operators acted, and \
      why, stays readable: name nobody in a reason. It says first what will be destroyed and what \
      will stay readable, and asks; where nobody can be asked, it needs --yes. Erase a customer \
      again to reach what has come since about the time before; where there is nothing to reach, \
      it says that the customer was erased already, and writes nothing. Replace the backups of the \
      ledger's key file by the file as it is afterwards. Example:

        daybook erase reader-1 --operator kim --reason "request 88 of 3 March"
      """)

  @Argument(
    help: "The customer's account; linked accounts are erased with it.",
    completion: Completions.accounts, transform: Parse.name)
  var account: Name

  @OptionGroup var options: OperatorOptions

  func validate() throws {
    try options.requireReason()
    guard options.environment == nil else {
      throw ValidationError(
        "a customer is erased in every environment: leave out --environment.")
    }
    guard !options.isNewAccount else {
      throw ValidationError("a new account has nothing to erase: leave out --new-account.")
    }
  }

  func run() throws {
    let event = options.event(.accountErased, account: account)
    try answering {
      if options.dryRun {
        return Console.print(bytes: EventEncoder().encode(event))
      }
      let ledger = try options.ledger.openForChanges()
      guard try consent(ledger, event) else { return }
      let result: ErasureResult
      do throws(LedgerError) { result = try ledger.erase(event) } catch {
        throw problem(error)
      }
      try ledger.fold()
      print(result, keys: ledger.keyFile, event.id)
    }
  }

  private func problem(_ error: LedgerError) -> any Error {
    guard error.code == .notFound else { return error }
    return InputProblem(
      "no event states the account \(account.text.printable): check the spelling.")
  }

  /// Shows what will be destroyed and what stays, and asks for consent.
  ///
  /// - Returns: Whether to go on; `false` if everything has already been erased.
  private func consent(_ ledger: Ledger, _ event: Event) throws -> Bool {
    let account = account
    let preview: ErasurePreview
    do throws(LedgerError) {
      preview = try ledger.read { (view) throws(LedgerError) in
        try view.erasurePreview(of: account)
      }
    } catch { throw problem(error) }
    let isDone = try ledger.read { (view) throws(LedgerError) in
      try view.event(withID: event.id) != nil
    }
    if isDone { return true }
    if let earlier = preview.earlier, preview.names == 0, preview.texts == 0 {
      try ledger.destroyErasedKeys()
      print(
        ErasureResult(
          position: earlier, isDuplicate: true, names: 0, texts: 0, remainder: preview.remainder),
        keys: ledger.keyFile, event.id)
      return false
    }
    if options.yes { return true }
    let names = preview.accounts.map(\.text).joined(separator: ", ")
    let what =
      "this permanently destroys \(preview.names.counted("name")) of accounts, devices and "
      + "sessions and the personal data of \(preview.texts.counted("event")) of the customer "
      + names
      + (preview.earlier.map { ", who was already erased at position \($0)" } ?? "")
      + preview.remainder.lines.map { ". Still readable afterwards: \($0)" }.joined()
    if Consent.canAsk {
      if Consent.isGiven(to: "\(what). Erase?") { return true }
      throw InputProblem("nothing was erased.")
    }
    throw InputProblem(
      "nothing was erased: \(what). Run it again with --yes if that is what you want.".printable)
  }

  private func print(_ result: ErasureResult, keys: String, _ id: Name) {
    switch options.format {
    case .table:
      Console.print(
        result.isDuplicate
          ? "already erased, at position \(result.position)"
          : "erased at position \(result.position)")
      Console.print(
        "destroyed: \(result.names.counted("name")) of accounts, devices and sessions, the "
          + "personal data of \(result.texts.counted("event"))")
      for line in result.remainder.lines { Console.print("stays readable: \(line)") }
      Console.print("replace the backups of \(keys): they still open what was erased")
    case .json, .jsonl:
      var json = JSONText()
      json.object { json in
        json.member("id", id)
        json.member("position", result.position)
        json.member("duplicate", result.isDuplicate)
        json.member("names", result.names)
        json.member("texts", result.texts)
        json.member("readable", strings: result.remainder.lines)
        json.member("keys", keys)
      }
      Console.print(json.text)
    }
  }
}

extension ErasureRemainder {
  /// What stays readable and why, with a line for each kind of remainder.
  fileprivate var lines: [String] {
    var lines = names.map { use in
      "the \(use.kind) \(use.name.text.printable), which others used, too"
    }
    if !reports.isEmpty {
      lines.append(
        "\(reports.count.counted("event")) that such a device reported of itself, "
          + "\(Self.positions(reports)): they name nobody")
    }
    if !sharedChains.isEmpty {
      lines.append(
        "\(sharedChains.count.counted("event")) about a chain of which others have a transaction, "
          + "too, \(Self.positions(sharedChains)): destroyed when the last of them is erased")
    }
    if !acts.isEmpty {
      lines.append(
        "which operator acted, and why, in \(acts.count.counted("event")), "
          + "\(Self.positions(acts)): that is the operators' data")
    }
    return lines
  }

  private static func positions(_ positions: [UInt64]) -> String {
    let shown = positions.prefix(positionsShownMax).map { String($0) }
    let rest = positions.count > shown.count ? " and others" : ""
    return
      "at \(shown.count == 1 ? "position" : "positions") \(shown.joined(separator: ", "))\(rest)"
  }

  /// The maximum number of positions that are listed.
  private static let positionsShownMax = 10
}
