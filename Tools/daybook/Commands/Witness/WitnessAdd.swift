import ArgumentParser
import Audit
import Foundation

/// The ledger's side: what a witness answered goes into the checkpoint.
struct WitnessAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Adds the answers of witnesses to a checkpoint.",
    discussion: """
      Verifies each cosignature and adds it to the checkpoint, or to the proof that ends with it. \
      Lines of other keys are left out; a false line in the name of a given witness refuses \
      everything (exit code 1). Of several by one witness, the newest is kept. Example:

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
      let bytes = try FileHandle.readInput(
        file, as: "a signed checkpoint", bytesMax: EventProofFile.bytesMax)
      let document = try proving(file) { () throws(ProofError) in try ProofDocument(bytes) }
      guard var checkpoint = document.cosignable else {
        throw InputProblem(
          "\(file) is a bundle, which has one signature and takes no others: name a checkpoint or "
            + "a proof.")
      }
      var added: [Cosignature] = []
      for name in answers {
        let answer = try FileHandle.readInput(
          name, as: "a witness's answer", bytesMax: EventProofFile.bytesMax)
        let next = try proving(name) { () throws(ProofError) in
          try checkpoint.adding(answer, by: witnesses)
        }
        checkpoint = next.checkpoint
        added += next.added
      }
      let output = try OutputFile(
        OutputPlace(path: out ?? file, replaces: out == nil || force, inputs: answers))
      defer { output.discard() }
      try output.write(Array(document.text(with: checkpoint).utf8))
      try output.publish()
      show(added, checkpoint)
    }
  }

  private func show(_ added: [Cosignature], _ checkpoint: SignedCheckpoint) {
    switch format {
    case .table:
      for cosignature in added {
        Console.print(
          TextTable.printable(
            "cosigned by \(cosignature.witness.nameAndIdentifier) at "
              + WitnessPolicy.Finding.text(cosignature.time)))
      }
    case .json, .jsonl:
      var json = JSONText()
      json.object { json in
        json.member("added", each: added) { json, cosignature in
          json.object { json in
            json.member("verifierKey", cosignature.witness.text)
            json.member("time", WitnessPolicy.Finding.text(cosignature.time))
          }
        }
        json.member("checkpoint", checkpoint.document)
      }
      Console.print(json.text)
    }
  }
}

extension ProofDocument {
  /// The checkpoint that lines can be added to; nil for a bundle, which states its signatures once.
  fileprivate var cosignable: SignedCheckpoint? {
    switch self {
    case .event(let proof): proof.checkpoint
    case .consistency(let proof): proof.new
    case .checkpoint(let checkpoint): checkpoint
    case .bundle: nil
    }
  }

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
