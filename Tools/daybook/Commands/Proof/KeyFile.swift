import Audit
import Foundation
import LedgerEvents

/// Keys in files: the signing key in one that only its owner may read.
enum KeyFile {
  /// A file of more bytes holds no key.
  private static let bytesMax = 4_096

  /// - Throws: `InputProblem`: exit 73 where there is a file already or it cannot be made.
  static func write(_ key: NoteSigner, to path: String) throws {
    do throws(ProofError) { try key.write(toNewFile: path) } catch {
      throw InputProblem(error.message, exitCode: ExitStatus.cannotCreate)
    }
  }

  /// - Throws: `InputProblem`: exit 66 where there is no file, 65 where it holds no signing key.
  static func signer(_ path: String) throws -> NoteSigner {
    let text = try line(path)
    return try proving(path) { () throws(ProofError) in try NoteSigner(text) }
  }

  /// The signing key of a file; or, given a command that signs, the key that the command has.
  ///
  /// - Parameter key: The file; with a command, the verifier key or a file that holds it.
  /// - Throws: `InputProblem`: exit 66 where there is no file, 65 where it holds no key.
  static func signer(_ key: String, command: String?) throws -> any NoteSigning {
    guard let command else { return try signer(key) }
    return CommandSigner(try verifier(ofArgument: key), command: command)
  }

  /// The verifier key of a file that holds either half of a key.
  static func verifier(_ path: String) throws -> NoteVerifier {
    let text = try line(path)
    return try proving(path) { () throws(ProofError) in try verifier(ofText: text) }
  }

  /// The verifier keys of arguments: each a key itself, or the name of a file that holds one.
  ///
  /// - Parameter kind: What the keys must sign.
  static func verifiers(
    _ arguments: [String], of kind: NoteVerifier.Kind = .log
  ) throws -> [NoteVerifier] {
    try arguments.map { argument in
      let key = try verifier(ofArgument: argument)
      guard key.kind == kind else {
        throw InputProblem(
          kind == .log
            ? "\(key.nameAndIdentifier) is the key of a witness: name it with --witness"
            : "\(key.nameAndIdentifier) is the key of a ledger, not of a witness"
        )
      }
      return key
    }
  }

  /// The verifier key of an argument: the key itself, or the name of a file that holds one.
  static func verifier(ofArgument argument: String) throws -> NoteVerifier {
    let isKey = argument.split(separator: "+").count > 2
    if isKey, !FileManager.default.fileExists(atPath: argument) {
      return try proving { () throws(ProofError) in try NoteVerifier(argument) }
    }
    return try verifier(argument)
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
      json.member("kind", verifier.kind == .log ? "ledger" : "witness")
      json.member("file", file)
    }
    return json.text
  }
}
