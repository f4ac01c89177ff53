import ArgumentParser
import Audit
import Foundation
import LedgerAnswers
import LedgerStore

/// The witness's side: its answer to a request.
struct WitnessCosign: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cosign",
    abstract: "Answers a request to cosign a checkpoint.",
    discussion: """
      Reads a request of c2sp.org/tlog-witness (add-checkpoint) and prints the cosignature, if a \
      known ledger has signed the checkpoint and it extends the one that was cosigned last. That \
      one is in the state file, which is durable before anything is printed. Never go back to an \
      old state file: the witness would cosign a second history. A witness whose clock has gone \
      back signs nothing for a ledger that it cosigned at a later time (exit code 75). If the \
      request is refused, the reason is on standard error with its HTTP status, and the exit code \
      is 1 (403, 404, 409, 422) or 65 (400). With status 409, standard output has the size that \
      was cosigned last. Without a status, the witness itself failed: 65 for a damaged state file, \
      66 if it is missing, 73 if --new-state finds one, 74 if a file or the command for the key \
      fails. \
      Example:

        daybook witness cosign monday.request --key w1.key --log books.example.com/shop+7c2a…+AWl… \
      --state w1.checkpoints --out monday.w1
      """)

  @Argument(help: "The request; - is standard input.") var request: String

  @OptionGroup var signer: SignerOptions

  @Option(
    help: ArgumentHelp(
      "A ledger that the witness knows: its verifier key, or a file that holds it (repeatable).",
      valueName: "key|file"))
  var log: [String]

  @Option(
    help: ArgumentHelp(
      "The file with the checkpoint of each ledger that was cosigned last.", valueName: "file"))
  var state: String

  @Flag(
    help: "Makes the state file, which must not exist: for a witness that has cosigned nothing.")
  var newState = false

  @OptionGroup var document: DocumentOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    guard !log.isEmpty else { throw ValidationError("name the ledgers to cosign with --log.") }
  }

  func run() throws {
    try answering {
      let file = CheckpointMemoryFile(state)
      let logs = try KeyFile.verifiers(log)
      let key = try signer.signer()
      let witness = try proving { () throws(ProofError) in
        try Witness(key: key, logs: logs, state: file)
      }
      let bytes = try FileHandle.readInput(
        request, as: "a request to cosign", bytesMax: WitnessRequest.bytesMax)
      let output = try document.file(
        inputs: [request, state] + KeyFile.files(in: log) + signer.inputs)
      defer { output?.discard() }
      if newState { try proving { () throws(ProofError) in try file.create() } }
      let answer: WitnessAnswer
      do throws(ProofError) {
        answer = try witness.answer(bytes, at: EventLog.systemClock())
      } catch  where error.code == .noFile {
        throw InputProblem(
          "\(error.message): if the witness has never cosigned anything, make it with --new-state; "
            + "if it was lost, make a new key, because this one could cosign a second history.",
          exitCode: ExitStatus.noInput)
      } catch {
        return try proving { () throws(ProofError) in throw error }
      }
      try show(answer, output)
      switch answer.status {
      case .cosigned: return
      case .badRequest: throw ExitStatus.badInput
      case .notSigned, .unknownLog, .conflict, .inconsistent: throw ExitStatus.found
      }
    }
  }

  private func show(_ answer: WitnessAnswer, _ output: OutputFile?) throws {
    let isCosigned = answer.status == .cosigned
    if isCosigned || answer.status == .conflict || format != .table {
      try document.write(answer.body, to: isCosigned ? output : nil, format) { json in
        json.member("status", answer.status.rawValue)
        json.member("contentType", answer.contentType)
        json.member("body", answer.body)
        json.member("reason", answer.reason)
      }
    }
    if let reason = answer.reason {
      Console.complain("daybook: not cosigned (\(answer.status.rawValue)): \(reason)")
    }
  }
}
