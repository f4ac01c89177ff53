import ArgumentParser
import Audit
import LedgerEvents
import LedgerStore

struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Makes the key that signs checkpoints, and shows its public half.",
    discussion: """
      Example:

        daybook key new --name books.example.com/shop --out /media/safe/shop.key
      """,
    subcommands: [KeyNew.self, KeyShow.self])
}

struct KeyNew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Makes a new signing key.",
    discussion: """
      Writes an Ed25519 key in the form of C2SP signed notes to a new file that only its owner may \
      read, prints the verifier key to hand out, and records that in the ledger, if there is one. \
      Keep the file away from the ledger: whoever has both can rewrite the ledger and sign it \
      again. With --passphrase or --passphrase-file, the file is encrypted in the age format, and \
      whoever signs with it is asked for the passphrase. With --witness, the key cosigns \
      checkpoints of other people's ledgers (`daybook witness cosign`). Example:

        daybook key new --name books.example.com/shop --passphrase --out /media/safe/shop.key
      """)

  @OptionGroup var options: LedgerOptions

  @Option(
    help: ArgumentHelp(
      "The name of the ledger that it signs, or of the witness: like a URL without its scheme, "
        + "and unique.",
      valueName: "origin"),
    transform: Self.name)
  var name: String

  @Flag(help: "Makes the key of a witness, which cosigns checkpoints and signs nothing else.")
  var witness = false

  @Option(
    help: ArgumentHelp("The file for the key; it must not exist yet.", valueName: "file"))
  var out: String

  @Flag(help: "Encrypts the key with a passphrase, which is asked for at the terminal.")
  var passphrase = false

  @Option(
    help: ArgumentHelp("Encrypts the key with the passphrase in this file.", valueName: "file"))
  var passphraseFile: String?

  @OptionGroup var actor: ActorOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    guard !passphrase || passphraseFile == nil else {
      throw ValidationError("name --passphrase or --passphrase-file, not both.")
    }
  }

  func run() throws {
    try answering {
      let ledger = try ledgerThatRecords()
      try OutputDestination(path: out, ledger: options.path).refuseLedger()
      var secret = try passphraseFile.map { try PassphraseInput.passphrase(inFile: $0) }
      if passphrase { secret = try PassphraseInput.ask(for: out, isNew: true) }
      let key = try proving { () throws(ProofError) in
        try NoteSigner(name: name, kind: witness ? .witness : .log)
      }
      try KeyFile.write(key, to: out, passphrase: secret)
      if let ledger {
        try actor.record(
          action: "made key",
          detail: [(name: "verifierKey", value: .string(key.verifier.text))], in: ledger)
      }
      switch format {
      case .table:
        Console.print(key.verifier.text)
        Console.complain(
          witness
            ? "daybook: the signing key is in \(out): keep it where only the witness can read it"
            : "daybook: the signing key is in \(out): keep it away from the ledger, and a copy "
              + "in a safe place"
        )
      case .json, .jsonl: Console.print(KeyFile.json(key.verifier, file: out))
      }
    }
  }

  private static func name(_ text: String) throws -> String {
    guard NoteSigner.isName(text) else {
      throw ValidationError(
        "expected a name without spaces, control characters and +, such as "
          + "books.example.com/shop.")
    }
    return text
  }

  /// The ledger; `nil` if none is named and there is none in this folder: a key is best created
  /// elsewhere. The key of a witness is for other people's ledgers, so none records it.
  private func ledgerThatRecords() throws -> Ledger? {
    if witness { return nil }
    do { return try actor.open(options) } catch let error as LedgerError
      where error.code == .noLedger && !options.isNamed
    {
      Console.complain(
        "daybook: there is no ledger here to record the new key in; each signature with it will be "
          + "recorded")
      return nil
    }
  }
}

struct KeyShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Prints the verifier key of a signing key.",
    discussion: """
      Reads a file that `daybook key new` has written and prints what others check signatures \
      with. It needs no ledger. Example:

        daybook key show /media/safe/shop.key
      """)

  @Argument(help: "The file of the key.") var file: String

  @Option(
    help: ArgumentHelp(
      "The file of the key's passphrase (default: ask at the terminal).", valueName: "file"))
  var passphraseFile: String?

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let verifier = try KeyFile.verifier(file, passphraseFile: passphraseFile)
      switch format {
      case .table: Console.print(verifier.text)
      case .json, .jsonl: Console.print(KeyFile.json(verifier, file: file))
      }
    }
  }
}
