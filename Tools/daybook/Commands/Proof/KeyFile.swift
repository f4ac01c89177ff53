import AgeFiles
import Audit
import Foundation
import LedgerAnswers
import LedgerEvents

/// Keys in files. Only its owner may read the file of a signing key.
enum KeyFile {
  /// The maximum size of a file with a key, in bytes.
  private static let bytesMax = 4_096

  /// - Throws: `InputProblem`: exit 73 where there is a file already or it cannot be made.
  static func write(
    _ key: NoteSigner, to path: String, passphrase: AgePassphrase? = nil
  ) throws {
    do throws(ProofError) { try key.write(toNewFile: path, passphrase: passphrase) } catch {
      throw InputProblem(error.message, exitCode: ExitStatus.cannotCreate)
    }
  }

  /// The signing key in a file. One behind a passphrase asks for it, if no file with it is named.
  ///
  /// - Throws: `InputProblem`: exit 66 where there is no file, 65 where it holds no signing key or
  ///   the passphrase is wrong.
  static func signer(_ path: String, passphraseFile: String? = nil) throws -> NoteSigner {
    let bytes = try contents(path)
    if NoteSigner.isEncrypted(bytes) { return try signer(path, decrypting: bytes, passphraseFile) }
    let text = try line(bytes, path)
    return try proving(path) { () throws(ProofError) in try NoteSigner(text) }
  }

  private static func signer(
    _ path: String, decrypting bytes: [UInt8], _ passphraseFile: String?
  ) throws -> NoteSigner {
    let passphrase =
      if let passphraseFile {
        try PassphraseInput.passphrase(inFile: passphraseFile)
      } else {
        try PassphraseInput.ask(for: path)
      }
    return try proving(path) { () throws(ProofError) in
      try NoteSigner(decrypting: bytes, passphrase)
    }
  }

  /// The signing key of a file; or, given a command that signs, the key that the command has.
  ///
  /// - Parameters:
  ///   - key: The file; with a command, the verifier key or a file that contains it.
  ///   - command: The command that signs; nil if the key is in the file.
  ///   - passphraseFile: The file of the key's passphrase; nil to ask for it, if it has one.
  /// - Throws: `InputProblem`: exit 66 where there is no file, 65 where it holds no key.
  static func signer(
    _ key: String, command: String?, passphraseFile: String?
  ) throws -> any NoteSigning {
    guard let command else { return try signer(key, passphraseFile: passphraseFile) }
    return CommandSigner(try verifier(ofArgument: key), command: command)
  }

  /// The verifier key of a file that holds either half of a key, which is decrypted if need be.
  static func verifier(_ path: String, passphraseFile: String? = nil) throws -> NoteVerifier {
    let bytes = try contents(path)
    if NoteSigner.isEncrypted(bytes) {
      return try signer(path, decrypting: bytes, passphraseFile).verifier
    }
    return try verifier(of: bytes, path)
  }

  /// The verifier key of a file that is not encrypted.
  private static func plainVerifier(_ path: String) throws -> NoteVerifier {
    let bytes = try contents(path)
    guard !NoteSigner.isEncrypted(bytes) else {
      throw InputProblem(
        "\(path) is a signing key behind a passphrase: name its verifier key instead, which "
          + "`daybook key show \(path)` prints.")
    }
    return try verifier(of: bytes, path)
  }

  private static func verifier(of bytes: [UInt8], _ path: String) throws -> NoteVerifier {
    let text = try line(bytes, path)
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
            ? "\(key.nameAndIdentifier) is the key of a witness, not of a ledger"
            : "\(key.nameAndIdentifier) is the key of a ledger, not of a witness"
        )
      }
      return key
    }
  }

  /// The verifier key of an argument: the key itself, or the name of a file that holds one.
  ///
  /// - Throws: `InputProblem`: exit 66 where there is no file, 65 where it holds no key, or one
  ///   behind a passphrase. No secret is needed for the public half of a key.
  static func verifier(ofArgument argument: String) throws -> NoteVerifier {
    guard argument.split(separator: "+").count > 2 else { return try plainVerifier(argument) }
    // A key counts before a file, so that nobody can put a file of that name in its place.
    do throws(ProofError) { return try NoteVerifier(argument) } catch {
      if FileManager.default.fileExists(atPath: argument) { return try plainVerifier(argument) }
      return try proving { () throws(ProofError) in throw error }
    }
  }

  /// The files among arguments that are keys themselves or the names of files that hold one.
  static func files(in arguments: [String]) -> [String] {
    arguments.filter { argument in
      do throws(ProofError) {
        _ = try NoteVerifier(argument)
        return false
      } catch { return true }
    }
  }

  private static func verifier(ofText text: String) throws(ProofError) -> NoteVerifier {
    do throws(ProofError) { return try NoteSigner(text).verifier } catch {
      return try NoteVerifier(text)
    }
  }

  private static func contents(_ path: String) throws -> [UInt8] {
    try FileHandle.readInput(
      path, as: "a key that `daybook key new` has written", bytesMax: bytesMax)
  }

  private static func line(_ bytes: [UInt8], _ path: String) throws -> String {
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
