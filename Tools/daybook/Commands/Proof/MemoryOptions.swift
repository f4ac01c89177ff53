import ArgumentParser
import Audit
import Foundation
import LedgerAnswers
import LedgerEvents
import LedgerStore

/// The file in which `check` remembers the newest checkpoint that it has seen of each ledger.
struct MemoryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Remembers the newest checkpoint of each ledger in this file, and refuses one that does not "
        + "agree with it. The file is made if it is missing.", valueName: "file"))
  var remember: String?

  @Option(
    help: ArgumentHelp(
      "With --remember: a proof between the checkpoint that was seen last and this one, as "
        + "`daybook prove --from` writes it.", valueName: "proof"))
  var consistency: String?

  func validate() throws {
    guard consistency == nil || remember != nil else {
      throw ValidationError("--consistency needs --remember.")
    }
  }

  /// The proof of `--consistency`, whose own checkpoints are signed; nil where none is named.
  ///
  /// - Throws: `InputProblem`: exit 1 where it does not hold, 65 where it is none.
  func consistency(_ keys: [NoteVerifier]) throws -> ConsistencyProofFile? {
    guard let consistency else { return nil }
    let bytes = try FileHandle.readInput(
      consistency, as: "a proof between two positions", bytesMax: ConsistencyProofFile.bytesMax)
    return try proving(consistency) { () throws(ProofError) in
      let proof = try ConsistencyProofFile(bytes)
      _ = try proof.check(keys)
      return proof
    }
  }

  /// Compares what was checked with what was seen before, and remembers it.
  ///
  /// - Parameter between: The proof of `--consistency`.
  /// - Returns: What was seen; nil where nothing is to be remembered.
  /// - Throws: `notProven` where the proof is of another ledger.
  func remember(
    _ report: CheckReport, _ keys: [NoteVerifier], _ between: ConsistencyProofFile?
  ) throws(ProofError) -> SeenReport? {
    guard let remember else { return nil }
    let checkpoint = report.checkpoint
    if let between, between.new.origin != checkpoint.origin {
      throw ProofError(
        .notProven,
        "--consistency is about \(between.new.origin.text), and the checkpoint is of "
          + checkpoint.origin.text)
    }
    let verdict = try CheckpointMemoryFile(remember).remember(
      checkpoint, signedBy: keys, consistency: between?.consistency ?? report.consistency)
    return SeenReport(checkpoint: checkpoint, verdict: verdict, file: remember)
  }
}

/// What `check` says of a checkpoint, given those that it has seen before.
struct SeenReport {
  let checkpoint: SignedCheckpoint
  let verdict: CheckpointMemory.Verdict
  let file: String

  var lines: [String] { [words.printable] }

  var words: String {
    let position = checkpoint.size
    return switch verdict {
    case .first: "remembered in \(file) as the first checkpoint of \(checkpoint.origin.text)"
    case .same: "it is the newest checkpoint in \(file)"
    case .extends(let old):
      "remembered in \(file): it extends the checkpoint at \(old.size) that was seen before"
    case .precedes(let newest):
      "the newest checkpoint in \(file), at \(newest.size), extends it"
    case .unproven(let old):
      "the checkpoint at \(old.size) was seen before, and nothing here proves that the ledger was "
        + "only appended to since: get the output of `daybook prove --from \(old.size) --to "
        + "\(position)`, and name it with --consistency"
    case .wentBack(let newest):
      "the checkpoint at \(newest.size) was seen before, and this one is at \(position): it is an "
        + "old file, or the ledger went back. If it is old, get the output of "
        + "`daybook prove --from \(position) --to \(newest.size)`, and name it with --consistency"
    case .forks(let newest) where newest.size == position:
      "the ledger has two histories: at \(position) it had the root \(newest.rootText) before, and "
        + "has \(checkpoint.rootText) now. Keep this file and \(file): both roots are signed, "
        + "which proves it"
    case .forks(let newest):
      "the ledger has two histories: the proof does not lead from the root at "
        + "\(min(newest.size, position)) to the root at \(max(newest.size, position)), one of "
        + "which was seen before. Keep these files and \(file)"
    }
  }

  func write(to json: inout JSONText) {
    json.member(
      "remembered",
      object: { json in
        json.member("file", file)
        json.member("verdict", name)
        json.member("message", words)
      })
  }

  private var name: String {
    switch verdict {
    case .first: "first"
    case .same: "same"
    case .extends: "extends"
    case .precedes: "precedes"
    case .unproven: "unproven"
    case .wentBack: "wentBack"
    case .forks: "forks"
    }
  }
}
