import ArgumentParser
import LedgerEvents
import LedgerStore

struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copies the log into a new folder, hot and verified.",
    discussion: """
      The copy is the log as it was at one commit, whatever is appended meanwhile; every record, \
      name and node of it is looked at, and that it was made is an event of the ledger, before \
      the folder gets its name. It has no projections, which `restore` folds anew, and no keys of \
      what identifies people: back the ledger's file `keys` up apart, and replace that copy after \
      an erasure. Example:

        daybook backup /backups/shop-2026-03-01 --operator kim
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The folder to make.")
  var destination: String

  @OptionGroup var actor: ActorOptions

  @Option(help: "How to answer: table or json.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let ledger = try actor.open(options)
      guard try ledger.hasKeyFile() else {
        throw InputProblem(
          "the key file \(ledger.keyFile) is missing, and without it nothing can be recorded: put "
            + "it back from where the keys are backed up, or copy the log and give the names and "
            + "texts of people up: `daybook restore \(ledger.path) --without-keys --ledger NEW`.",
          exitCode: ExitStatus.noInput)
      }
      let bar = ProgressBar("verifying the copy", unit: "events")
      defer { bar.end() }
      let copy = try ledger.backUp(to: destination, progress: bar.show) {
        (copy) throws(LedgerError) in
        bar.end()
        try actor.record(
          action: "backed up",
          detail: [
            ("folder", .string(destination)), ("position", .number(String(copy.position))),
            ("root", .string(copy.root.hexadecimal)),
          ], in: ledger)
      }
      copy.print(format, at: destination)
      if format == .table {
        Console.print("its keys are not in it: back \(ledger.keyFile) up apart")
      }
    }
  }
}

struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a ledger of a backup.",
    discussion: """
      Copies the log of the backup, verifies it with the keys, and folds the projections anew. The \
      ledger is made where nothing is (--ledger), and the backup is only read. Without its keys a \
      ledger answers and goes on, and the names and texts of people that it holds stay sealed for \
      ever. Example:

        daybook restore /backups/shop-2026-03-01 --keys /safe/shop.keys --ledger shop.daybook
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The folder of the backup.")
  var source: String

  @Option(help: "The copy of the ledger's key file.")
  var keys: String?

  @Flag(help: "Goes on without the keys: what people are called is given up.")
  var withoutKeys = false

  @Option(help: "How to answer: table or json.")
  var format: OutputFormat = .table

  func validate() throws {
    guard (keys != nil) != withoutKeys else {
      throw ValidationError(
        "say where the keys are with --keys FILE, or that they are lost with --without-keys.")
    }
  }

  func run() throws {
    try answering {
      let bar = ProgressBar("verifying", unit: "events")
      defer { bar.end() }
      let copy = try Ledger.restore(
        source, to: options.path, keys: keys.map { .file($0) } ?? .none, progress: bar.show)
      bar.end()
      copy.print(format, at: options.path)
    }
  }
}

extension LedgerCopy {
  fileprivate func print(_ format: OutputFormat, at folder: String) {
    switch format {
    case .table, .jsonl:
      Console.print("\(folder): verified up to position \(position), root \(root.hexadecimal)")
      for fault in keyFaults { Console.print("key: \(TextTable.printable(fault.message))") }
    case .json:
      var json = JSONText()
      json.object { json in
        json.member("folder", folder)
        json.member("position", position)
        json.member("root", root.hexadecimal)
        json.member("keyFaults", strings: keyFaults.map(\.message))
      }
      Console.print(json.text)
    }
  }
}
