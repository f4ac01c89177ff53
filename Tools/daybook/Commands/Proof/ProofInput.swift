import ArgumentParser
import Audit
import Foundation

/// Files of proofs and checkpoints, which are small and read as a whole.
enum ProofInput {
  /// A signed checkpoint that is not checked yet. For a proof, it is the one with which the proof
  /// ends.
  static func checkpoint(_ path: String) throws -> SignedCheckpoint {
    checkpoint(of: try document(path))
  }

  private static func checkpoint(of document: ProofDocument) -> SignedCheckpoint {
    switch document {
    case .checkpoint(let checkpoint): checkpoint
    case .event(let proof): proof.checkpoint
    case .consistency(let proof): proof.new
    case .bundle(let bundle): bundle.checkpoint
    }
  }

  /// A document to whose checkpoint witnesses can add cosignatures, and the checkpoint. Nothing is
  /// checked yet.
  ///
  /// - Throws: `InputProblem`: exit 65 for a bundle, which states its only signature at its start.
  static func cosignable(
    _ path: String
  ) throws -> (document: ProofDocument, checkpoint: SignedCheckpoint) {
    let document = try document(path)
    if case .bundle = document {
      throw InputProblem(
        "\(path) is a bundle, which has one signature and takes no others: name a checkpoint or "
          + "a proof.")
    }
    return (document, checkpoint(of: document))
  }

  private static func document(_ path: String) throws -> ProofDocument {
    let bytes = try FileHandle.readInput(
      path, as: "a signed checkpoint", bytesMax: EventProofFile.bytesMax)
    return try proving(path) { () throws(ProofError) in try ProofDocument(bytes) }
  }
}

/// Runs a body whose errors are about a file or an argument.
///
/// - Throws: `InputProblem`: exit 1 if something is not proven, 65 if it is malformed, 66, 73 and
///   74 if a file or a command fails, 75 if the clock has gone back.
func proving<Value>(
  _ place: String? = nil, _ body: () throws(ProofError) -> Value
) throws -> Value {
  do throws(ProofError) { return try body() } catch {
    let status =
      switch error.code {
      case .notProven: ExitStatus.found
      case .malformed, .badKey: ExitStatus.badInput
      case .signing, .file: ExitStatus.inputOutput
      case .noFile: ExitStatus.noInput
      case .exists: ExitStatus.cannotCreate
      case .clock: ExitStatus.tryAgain
      }
    let message = place.map { "\($0): \(error.message)" } ?? error.message
    throw InputProblem(message, exitCode: status)
  }
}
