import ArgumentParser
import LedgerEvents
import LedgerStore

struct Init: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes an empty ledger.",
    discussion: """
      Creates a folder for the log that only its owner may read. Example:

        daybook init purchases.daybook
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The folder to make (default: --ledger).")
  var path: String?

  func validate() throws {
    if path?.isEmpty == true {
      throw ValidationError("the path is empty: name the folder to make.")
    }
  }

  func run() throws {
    try answering {
      let path = path ?? options.path
      try options.refuseForeignRoot(in: path)
      _ = try Ledger.create(at: path)
      Console.print("made an empty ledger in \(path.printable)")
    }
  }
}
