import ArgumentParser
import Audit

/// The key that a command signs with.
struct SignerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file of the signing key that `daybook key new` wrote; with --key-command, the verifier "
        + "key.", valueName: "file|key"))
  var key: String

  @OptionGroup var access: KeyAccessOptions

  /// - Throws: `InputProblem`: exit 66 if there is no file, 65 if it contains no key.
  func signer() throws -> any NoteSigning { try access.signer(key) }

  /// The files that are read for the key, which must not be overwritten.
  var inputs: [String] { access.inputs(key) }
}

/// How a command gets at a signing key that is not in a file as it is.
struct KeyAccessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file of the key's passphrase, if it has one (default: ask at the terminal).",
      valueName: "file"))
  var passphraseFile: String?

  @Option(
    help: ArgumentHelp(
      "A command that signs, if the key is in a hardware module or an agent: it gets the bytes on "
        + "standard input and writes the Ed25519 signature, or base64 of it.", valueName: "command")
  )
  var keyCommand: String?

  func validate() throws {
    guard passphraseFile == nil || keyCommand == nil else {
      throw ValidationError(
        "--passphrase-file is for a key in a file: leave it out with --key-command.")
    }
  }

  /// Whether one of the options is given.
  var isNamed: Bool { passphraseFile != nil || keyCommand != nil }

  /// The files that are read for a key, which must not be overwritten.
  ///
  /// - Parameter key: The file of the key; with a command, the verifier key.
  func inputs(_ key: String) -> [String] {
    KeyFile.files(in: [key]) + [passphraseFile].compactMap { $0 }
  }

  /// - Parameter key: The file of the key; with a command, the verifier key.
  /// - Throws: `InputProblem`: exit 66 if there is no file, 65 if it contains no key.
  func signer(_ key: String) throws -> any NoteSigning {
    try KeyFile.signer(key, command: keyCommand, passphraseFile: passphraseFile)
  }
}
