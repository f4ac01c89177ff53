import ArgumentParser
import Audit
import Foundation

/// Files of proofs, checkpoints and keys: small, and read whole.
enum ProofInput {
  /// - Throws: `InputProblem`: exit 66 where there is no such file, 65 where it is too large, 74.
  static func bytes(_ path: String, as expected: String, maximum: Int) throws -> [UInt8] {
    let handle =
      path == "-"
      ? try FileHandle.readableStandardInput(as: expected)
      : try FileHandle(readingInput: path, as: expected)
    var bytes: [UInt8] = []
    do {
      while let next = try handle.read(upToCount: 1 << 16), !next.isEmpty {
        bytes.append(contentsOf: next)
        guard bytes.count <= maximum else {
          throw InputProblem("\(path) has over \(maximum) bytes: expected \(expected)")
        }
      }
      try handle.close()
    } catch let problem as InputProblem {
      throw problem
    } catch {
      throw InputProblem(
        "\(path) cannot be read: \(error.localizedDescription)", exitCode: ExitStatus.inputOutput)
    }
    return bytes
  }

  /// A signed checkpoint, not checked yet; of a proof it is the one that the proof ends with.
  static func checkpoint(_ path: String) throws -> SignedCheckpoint {
    let bytes = try bytes(path, as: "a signed checkpoint", maximum: EventProofFile.bytesMax)
    return try proving(path) { () throws(ProofError) in
      switch try ProofDocument(bytes) {
      case .checkpoint(let checkpoint): checkpoint
      case .event(let proof): proof.checkpoint
      case .consistency(let proof): proof.new
      case .bundle(let bundle): bundle.checkpoint
      }
    }
  }
}

/// Runs a body whose errors speak of a file or an argument.
///
/// - Throws: `InputProblem`: exit 1 where something is not proven, 65 where it cannot be read.
func proving<Value>(
  _ place: String? = nil, _ body: () throws(ProofError) -> Value
) throws -> Value {
  do throws(ProofError) { return try body() } catch {
    let status = error.code == .notProven ? ExitStatus.found : ExitStatus.badInput
    let message = place.map { "\($0): \(error.message)" } ?? error.message
    throw InputProblem(message, exitCode: status)
  }
}
