import ArgumentParser
import Audit
import Foundation
import LedgerEvents
import LedgerStore

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks a proof or a checkpoint with nothing but a key.",
    discussion: """
      Reads a file that `daybook prove`, `daybook checkpoint` or `daybook export --bundle` wrote \
      and prints what it proves and who signed it, or what fails (exit code 1). It needs no \
      ledger and no network. The key is a verifier key, or a file that holds one. Example:

        daybook check 15.tlog-proof --key books.example.com/shop+7c2a…+AWl…
      """)

  @Argument(help: "The proof or bundle; - is standard input.") var file: String

  @Option(
    help: ArgumentHelp(
      "A key that you trust: a verifier key, or the file of a key (repeatable).",
      valueName: "key|file"))
  var key: [String]

  @Option(
    help: ArgumentHelp(
      "For a proof between two positions: the checkpoint that you kept, which has to be its "
        + "beginning.", valueName: "checkpoint"))
  var from: String?

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    guard !key.isEmpty else { throw ValidationError("name the keys that you trust with --key.") }
  }

  func run() throws {
    try answering {
      let keys = try KeyFile.verifiers(key)
      let bytes = try FileHandle.readInput(
        file, as: "a proof or a checkpoint", bytesMax: EventProofFile.bytesMax)
      let kept = try from.map { name in
        let checkpoint = try ProofInput.checkpoint(name)
        _ = try proving(name) { () throws(ProofError) in try checkpoint.signers(of: keys) }
        return checkpoint
      }
      switch report(bytes, keys, kept) {
      case .success(let report) where format == .table: report.lines.forEach(Console.print)
      case .success(let report): Console.print(report.json)
      case .failure(let error) where error.code == .notProven:
        refuse(error)
        throw ExitStatus.found
      case .failure(let error): throw InputProblem("\(file): \(error.message)")
      }
    }
  }

  private func report(
    _ bytes: [UInt8], _ keys: [NoteVerifier], _ kept: SignedCheckpoint?
  ) -> Result<CheckReport, ProofError> {
    do throws(ProofError) {
      return .success(try CheckReport.of(try ProofDocument(bytes), keys, from: kept))
    } catch {
      return .failure(error)
    }
  }

  private func refuse(_ error: ProofError) {
    switch format {
    case .table: Console.print("not proven: \(TextTable.printable(error.message))")
    case .json, .jsonl:
      var json = JSONText()
      json.object { json in
        json.member("proven", false)
        json.member("reason", error.message)
      }
      Console.print(json.text)
    }
  }
}
