import ArgumentParser
import Audit
import LedgerAnswers
import LedgerEvents
import LedgerStore

/// The ledger's side: what a witness is asked.
struct WitnessAsk: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "request",
    abstract: "Writes a request to cosign a checkpoint.",
    discussion: """
      Writes the body of a request of c2sp.org/tlog-witness (add-checkpoint): the checkpoint, and \
      a proof from the size that the witness cosigned last. It is 0 if the witness has cosigned \
      nothing of this ledger. If it is another one, the witness says which (status 409). A proof \
      of an event can stand in place of the checkpoint that it ends with. Example:

        daybook witness request monday.checkpoint --old 30 --out monday.request
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The signed checkpoint, or a proof that ends with one.") var file: String

  @Option(
    help: ArgumentHelp(
      "The size of the checkpoint that the witness cosigned last.", valueName: "size"))
  var old: UInt64 = 0

  @OptionGroup var document: DocumentOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let checkpoint = try ProofInput.cosignable(file).checkpoint
      guard old <= checkpoint.size else {
        throw InputProblem(
          "--old is \(old), and the checkpoint is at \(checkpoint.size): a witness that has "
            + "cosigned more cosigns only later checkpoints.")
      }
      let ledger = try Ledger(at: options.path, access: .readOnly)
      let (root, proof) = try ledger.log.read { (view) throws(LedgerError) in
        (
          try view.root(at: checkpoint.size),
          try view.consistencyProof(from: old, to: checkpoint.size)
        )
      }
      guard root == checkpoint.root else {
        throw InputProblem(
          "\(file) is no checkpoint of this ledger: the root at \(checkpoint.size) is another one. "
            + "Run `daybook verify --checkpoint`.", exitCode: ExitStatus.found)
      }
      let request = WitnessRequest(checkpoint, path: proof.path, from: old)
      let output = try document.file(ledger: options.path, inputs: [file])
      defer { output?.discard() }
      try document.write(request.document, to: output, format) { json in
        json.member("origin", checkpoint.origin.text)
        json.member("old", old)
        json.member("position", checkpoint.size)
        json.member("request", request.document)
      }
    }
  }
}
