import ArgumentParser
import Audit
import Foundation
import LedgerAnswers
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
      let seen: SeenReport?
      do throws(ProofError) {
        let report = try report(bytes, keys, kept)
        let cosigned = try policy?.check(
          report.checkpoint, signedBy: keys, now: EventLog.systemClock())
        // Only what has passed everything else is remembered.
        seen = try memory.remember(report, keys, between)
        if seen?.verdict.isAccepted != false { return show(report, cosigned, seen) }
      } catch  where error.code == .notProven {
        refuse(error.message)
        throw ExitStatus.found
      } catch {
        return try proving { () throws(ProofError) in throw error }
      }
      if let seen { refuse(seen.words, seen) }
      throw ExitStatus.found
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

  /// Says why nothing is proven, and what was seen before if that is the reason.
  private func refuse(_ reason: String, _ seen: SeenReport? = nil) {
    switch format {
    case .table: Console.print("not proven: \(reason.printable)")
    case .json, .jsonl:
      var json = JSONText()
      json.object { json in
        json.member("proven", false)
        json.member("reason", reason)
        seen?.write(to: &json)
      }
      Console.print(json.text)
    }
  }
}
