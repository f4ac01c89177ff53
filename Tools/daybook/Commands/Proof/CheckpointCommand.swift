import ArgumentParser
import Audit
import LedgerAnswers
import LedgerEvents
import LedgerStore

struct CheckpointCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkpoint",
    abstract: "Signs the state of the ledger at a position.",
    discussion: """
      Writes a C2SP checkpoint of the root of the hash tree over the events up to a position, \
      signed with a key of `daybook key new`. Whoever keeps it can check later that the ledger \
      still begins with those events (`daybook verify --checkpoint`). The signing is recorded in \
      the ledger, after the position. Example:

        daybook checkpoint --key /media/safe/shop.key --out 2026-02-01.checkpoint

      Witnesses can cosign it (`daybook witness request`).
      """)

  @OptionGroup var options: LedgerOptions
  @OptionGroup var signing: SigningOptions

  @Option(
    name: .customLong("at-position"),
    help: ArgumentHelp(
      "How many events it covers (default: all).", valueName: "position"))
  var position: UInt64?

  @OptionGroup var actor: ActorOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let key = try signing.signer.signer()
      let ledger = try actor.open(options)
      let output = try signing.output(options)
      defer { output?.discard() }
      let (size, root) = try ledger.log.read { (view) throws(LedgerError) in
        let size = position ?? view.lastPosition
        return (size, try view.root(at: size))
      }
      let checkpoint = try proving { () throws(ProofError) in
        try SignedCheckpoint.sign(size: size, root: root, with: key)
      }
      try actor.record(
        action: "signed", detail: checkpoint.detail(signedWith: key.verifier), in: ledger)
      try signing.document.write(checkpoint.document, to: output, format) { json in
        json.member("origin", checkpoint.origin.text)
        json.member("position", size)
        json.member("root", checkpoint.rootText)
        json.member("verifierKey", key.verifier.text)
        json.member("checkpoint", checkpoint.document)
      }
    }
  }
}

/// What a command signs with, and the file to which it writes.
struct SigningOptions: ParsableArguments {
  @OptionGroup var signer: SignerOptions

  @OptionGroup var document: DocumentOptions

  /// The file to write to, created before anything is signed; `nil` if none is named.
  ///
  /// - Throws: `InputProblem` (exit 73).
  func output(_ ledger: LedgerOptions) throws -> OutputFile? {
    try document.file(ledger: ledger.path, inputs: signer.inputs)
  }
}

extension SignedCheckpoint {
  /// What the ledger records about a signature: enough to compare any other with it.
  func detail(signedWith key: NoteVerifier) -> [(name: String, value: JSONValue)] {
    [
      (name: "verifierKey", value: .string(key.text)),
      (name: "position", value: .number("\(size)")),
      (name: "root", value: .string(rootText)),
    ]
  }
}
