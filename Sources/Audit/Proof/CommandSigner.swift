internal import Foundation
internal import LMDB

/// A key that only a command outside the program can use, such as one in a hardware module or an
/// agent.
///
/// The command is run by `/bin/sh -c` for each signature. It finds the bytes to sign in its
/// standard input, which is a file, and writes the Ed25519 signature to its standard output: 64
/// bytes, or one line of base64. Each signature is verified before it is used, so a command that
/// signs something else, or with another key, does no harm.
public struct CommandSigner: NoteSigning {
  public let verifier: NoteVerifier
  /// The command line, for the shell.
  private let command: String

  /// The number of bytes of an Ed25519 signature.
  private static let signatureBytes = 64
  /// The most bytes of output that are read: base64 of a signature with its line end, and enough to
  /// see that there are more.
  private static let outputBytesMax = 256
  /// The most bytes of standard error that are shown.
  private static let errorBytesMax = 2_000

  /// Names a key and the command that signs with it.
  ///
  /// - Parameters:
  ///   - verifier: The key that verifies the signatures.
  ///   - command: A command line for `/bin/sh`.
  public init(_ verifier: NoteVerifier, command: String) {
    (self.verifier, self.command) = (verifier, command)
  }

  /// Runs the command on the bytes to sign.
  ///
  /// - Parameter message: The bytes to sign.
  /// - Throws: ``ProofError``: `signing`, with the exit code and standard error of the command.
  public func signature(of message: [UInt8]) throws(ProofError) -> [UInt8] {
    let outcome: Outcome
    do { outcome = try run(on: message) } catch {
      throw failure("could not be run: \(error.localizedDescription)")
    }
    guard outcome.hasExited, outcome.status == 0 else {
      let end =
        outcome.hasExited
        ? "exited with \(outcome.status)" : "was ended by signal \(outcome.status)"
      let said = String(decoding: outcome.errors, as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      throw failure(end + (said.isEmpty ? ", and printed no error" : ": \(said)"))
    }
    guard let signature = Self.signature(in: outcome.output) else {
      throw failure(
        "printed \(outcome.output.count == Self.outputBytesMax ? "at least " : "")"
          + "\(outcome.output.count) bytes that are no signature: expected 64 bytes, or one "
          + "line of base64 of 64 bytes")
    }
    return signature
  }

  private func failure(_ what: String) -> ProofError {
    ProofError(
      .signing, "the command that signs for \(verifier.nameAndIdentifier), \(command), \(what)")
  }

  /// Reads 64 bytes, or base64 of 64 bytes on one line.
  private static func signature(in output: [UInt8]) -> [UInt8]? {
    if output.count == signatureBytes { return output }
    let line = output.last == UInt8(ascii: "\n") ? output.dropLast() : output[...]
    guard let text = String(validating: line, as: UTF8.self),
      let bytes = StandardBase64.decode(text), bytes.count == signatureBytes
    else { return nil }
    return bytes
  }

  /// What a command did.
  private struct Outcome {
    let status: Int32
    let hasExited: Bool
    let output: [UInt8]
    let errors: [UInt8]
  }

  /// Runs the command with files for all three streams: a command that reads nothing, or writes
  /// much, cannot stop this process.
  private func run(on message: [UInt8]) throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-signing-\(UUID().uuidString)")
    try makeFolder(folder.path)
    defer { Self.remove(folder) }
    func file(_ name: String) -> URL { folder.appending(path: name) }
    try Data(message).write(to: file("input"))
    for name in ["output", "errors"] { try Data().write(to: file(name)) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // In the background of a terminal, a command that asks there would be stopped for ever. So it
    // gets an error instead.
    process.arguments = ["-c", "trap '' TTIN TTOU\n" + command]
    process.standardInput = try FileHandle(forReadingFrom: file("input"))
    process.standardOutput = try FileHandle(forWritingTo: file("output"))
    process.standardError = try FileHandle(forWritingTo: file("errors"))
    try process.run()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, hasExited: process.terminationReason == .exit,
      output: try Self.beginning(of: file("output"), Self.outputBytesMax),
      errors: try Self.beginning(of: file("errors"), Self.errorBytesMax))
  }

  private static func beginning(of file: URL, _ count: Int) throws -> [UInt8] {
    let handle = try FileHandle(forReadingFrom: file)
    let bytes = [UInt8](try handle.read(upToCount: count) ?? Data())
    try handle.close()
    return bytes
  }

  private static func remove(_ folder: URL) {
    do { try FileManager.default.removeItem(at: folder) } catch {
      return  // What was signed is no secret, and the system clears temporary files.
    }
  }
}
