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
      ledger and no network. The key is a verifier key, or a file that holds one. Witnesses make \
      sure that the ledger shows everybody the same history; --remember notices if it shows you \
      another one than last time, or one that went back. Example:

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

  @OptionGroup var witnesses: WitnessOptions
  @OptionGroup var memory: MemoryOptions

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
      let policy = try witnesses.policy()
      let between = try memory.consistency(keys)
      do throws(ProofError) {
        let report = try report(bytes, keys, kept)
        let cosigned = try policy?.check(
          report.checkpoint, signedBy: keys, now: EventLog.systemClock())
        // Only what has passed everything else is remembered.
        let seen = try memory.remember(report, keys, between)
        show(report, cosigned, seen)
      } catch  where error.code == .notProven {
        refuse(error)
        throw ExitStatus.found
      } catch {
        try proving { () throws(ProofError) in throw error }
      }
    }
  }

  /// What the file proves. An error that is not about the proof names the file.
  private func report(
    _ bytes: [UInt8], _ keys: [NoteVerifier], _ kept: SignedCheckpoint?
  ) throws(ProofError) -> CheckReport {
    do throws(ProofError) {
      return try CheckReport.of(try ProofDocument(bytes), keys, from: kept)
    } catch {
      guard error.code != .notProven else { throw error }
      throw ProofError(error.code, "\(file): \(error.message)")
    }
  }

  private func show(
    _ report: CheckReport, _ cosigned: WitnessPolicy.Finding?, _ seen: SeenReport?
  ) {
    switch format {
    case .table:
      let lines = report.lines + (cosigned?.lines ?? []) + (seen?.lines ?? [])
      lines.forEach(Console.print)
    case .json, .jsonl:
      var json = JSONText()
      json.object { json in
        report.write(to: &json)
        cosigned?.write(to: &json)
        seen?.write(to: &json)
      }
      Console.print(json.text)
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
