import ArgumentParser
import Audit
import Foundation
import LedgerAnswers
import LedgerEvents
import LedgerStore

/// The ledger's side: what a witness answered goes into the checkpoint.
struct WitnessAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Adds the answers of witnesses to a checkpoint.",
    discussion: """
      Verifies each cosignature and adds it to the checkpoint, or to the proof that ends with it. \
      Lines of other keys are left out; a false line in the name of a given witness refuses \
      everything (exit code 1), and so does one that is dated in the future. Of several by one \
      witness, the newest is kept. Example:

        daybook witness add monday.checkpoint monday.w1 --witness w1.example.org+9f3c…+BDk…
      """)

  @Argument(help: "The signed checkpoint, or a proof that ends with one.") var file: String

  @Argument(help: "The answers of witnesses; - is standard input.") var answers: [String]

  @Option(
    help: ArgumentHelp(
      "A witness that answered: its verifier key, or a file that holds it (repeatable).",
      valueName: "key|file"))
  var witness: [String]

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "The file to write to (default: the checkpoint's own file).", valueName: "file"))
  var out: String?

  @Flag(help: "With --out: replace an existing file.")
  var force = false

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    guard !force || out != nil else { throw ValidationError("--force needs --out.") }
    guard !witness.isEmpty else { throw ValidationError("name the witnesses with --witness.") }
    guard file != "-" || out != nil else {
      throw ValidationError("a checkpoint from standard input has no file of its own: use --out.")
    }
    guard !answers.isEmpty else { throw ValidationError("name the files of the answers.") }
  }

  func run() throws {
    try answering {
      let witnesses = try KeyFile.verifiers(witness, of: .witness)
      let cosignable = try ProofInput.cosignable(file)
      var checkpoint = cosignable.checkpoint
      let now = EventLog.systemClock()
      var added: [Cosignature] = []
      for name in answers {
        let answer = try FileHandle.readInput(
          name, as: "a witness's answer", bytesMax: EventProofFile.bytesMax)
        let next = try proving(name) { () throws(ProofError) in
          try checkpoint.adding(answer, by: witnesses, now: now)
        }
        checkpoint = next.checkpoint
        added.removeAll { old in next.added.contains { $0.witness == old.witness } }
        added += next.added
      }
      let output = try OutputFile(
        OutputDestination(
          path: out ?? file, replaces: out == nil || force,
          inputs: answers + KeyFile.files(in: witness)))
      defer { output.discard() }
      try output.write(Array(cosignable.document.text(with: checkpoint).utf8))
      try output.publish()
      show(added, checkpoint)
    }
  }

  private func show(_ added: [Cosignature], _ checkpoint: SignedCheckpoint) {
    switch format {
    case .table:
      for cosignature in added {
        Console.print(
          ("cosigned by \(cosignature.witness.nameAndIdentifier) at "
            + Cosignature.text(cosignature.time)).printable)
      }
      if added.isEmpty {
        Console.print("nothing was added: these cosignatures, or newer ones, were there already")
      }
    case .json, .jsonl:
      var json = JSONText()
      json.object { json in
        json.member("added", each: added) { json, cosignature in
          json.object { json in
            json.member("verifierKey", cosignature.witness.text)
            json.member("time", Cosignature.text(cosignature.time))
          }
        }
        json.member("checkpoint", checkpoint.document)
      }
      Console.print(json.text)
    }
  }
}

extension ProofDocument {
  /// The document with more signatures of its checkpoint.
  fileprivate func text(with checkpoint: SignedCheckpoint) -> String {
    switch self {
    case .event(let proof):
      EventProofFile(extra: proof.extra, inclusion: proof.inclusion, checkpoint: checkpoint)
        .document
    case .consistency(let proof):
      ConsistencyProofFile(consistency: proof.consistency, old: proof.old, new: checkpoint).document
    case .checkpoint, .bundle: checkpoint.document
    }
  }
}
