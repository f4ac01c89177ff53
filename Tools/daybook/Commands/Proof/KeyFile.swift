import Audit
import Foundation
import LedgerEvents

/// Keys in files. Only its owner may read the file of a signing key.
enum KeyFile {
  /// The maximum size of a file with a key, in bytes.
  private static let bytesMax = 4_096

  /// - Throws: `InputProblem`: exit 73 if the file exists or cannot be created.
  static func write(_ key: NoteSigner, to path: String) throws {
    do throws(ProofError) { try key.write(toNewFile: path) } catch {
      throw InputProblem(error.message, exitCode: ExitStatus.cannotCreate)
    }
  }

  /// - Throws: `InputProblem`: exit 66 if there is no file, 65 if it does not contain a signing
  ///   key.
  static func signer(_ path: String) throws -> NoteSigner {
    let text = try line(path)
    return try proving(path) { () throws(ProofError) in try NoteSigner(text) }
  }

  /// The verifier key of a file that contains either half of a key.
  static func verifier(_ path: String) throws -> NoteVerifier {
    let text = try line(path)
    return try proving(path) { () throws(ProofError) in try verifier(ofText: text) }
  }

  /// The verifier keys of arguments: each is a key, or the name of a file that contains one.
  static func verifiers(_ arguments: [String]) throws -> [NoteVerifier] {
    try arguments.map { argument in
      let isKey = argument.split(separator: "+").count > 2
      if isKey, !FileManager.default.fileExists(atPath: argument) {
        return try proving { () throws(ProofError) in try NoteVerifier(argument) }
      }
      return try verifier(argument)
    }
  }

  private static func verifier(ofText text: String) throws(ProofError) -> NoteVerifier {
    do throws(ProofError) { return try NoteSigner(text).verifier } catch {
      return try NoteVerifier(text)
    }
  }

  private static func line(_ path: String) throws -> String {
    let bytes = try FileHandle.readInput(
      path, as: "a key that `daybook key new` has written", bytesMax: bytesMax)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw InputProblem("\(path): expected a key on one line, found no text")
    }
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  static func json(_ verifier: NoteVerifier, file: String) -> String {
    var json = JSONText()
    json.object { json in
      json.member("name", verifier.name.text)
      json.member("verifierKey", verifier.text)
      json.member("file", file)
    }
    return json.text
  }
}
