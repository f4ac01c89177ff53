import AgeFiles
import ArgumentParser
import Foundation

/// For whom a backup is encrypted.
struct EncryptionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Encrypts the backup, and the keys that --keys copies, to this age recipient. Several can be "
        + "named, and each can decrypt alone.",
      valueName: "recipient"),
    transform: Self.recipient)
  var encryptTo: [AgeRecipient] = []

  @Option(
    help: ArgumentHelp(
      "Encrypts them with the passphrase in this file instead.", valueName: "file"))
  var passphraseFile: String?

  func validate() throws {
    guard encryptTo.isEmpty || passphraseFile == nil else {
      throw ValidationError(
        "a backup is encrypted to recipients or with a passphrase: name --encrypt-to or "
          + "--passphrase-file, not both.")
    }
    guard encryptTo.count <= AgeSealer.recipientsMax else {
      throw ValidationError("at most \(AgeSealer.recipientsMax) recipients can be named.")
    }
  }

  /// nil if nothing is to be encrypted.
  func encryption() throws -> AgeEncryption? {
    if let passphraseFile {
      return .passphrase(try PassphraseInput.passphrase(inFile: passphraseFile))
    }
    return encryptTo.isEmpty ? nil : .recipients(encryptTo)
  }

  private static func recipient(_ text: String) throws -> AgeRecipient {
    do throws(AgeError) { return try AgeRecipient(text) } catch {
      throw ValidationError(error.message + ".")
    }
  }
}

/// What encrypted backups are decrypted with.
struct DecryptionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file of age identities that decrypt the backups and the keys (repeatable).",
      valueName: "file"))
  var identity: [String] = []

  @Option(
    help: ArgumentHelp(
      "The file of a passphrase that decrypts them (repeatable). Each part is tried with every "
        + "identity and passphrase.",
      valueName: "file"))
  var passphraseFile: [String] = []

  /// A file of more bytes holds no identities.
  private static let bytesMax = 65_536

  /// nil if nothing was named.
  func decryption() throws -> AgeDecryption? {
    if identity.isEmpty && passphraseFile.isEmpty { return nil }
    let identities = try identity.flatMap { path in
      let bytes = try FileHandle.readInput(
        path, as: "identities that age-keygen has written", bytesMax: Self.bytesMax)
      do throws(AgeError) { return try AgeIdentity.identities(inFile: bytes) } catch {
        throw InputProblem("\(path): \(error.message)")
      }
    }
    return AgeDecryption(
      identities: identities,
      passphrases: try passphraseFile.map(PassphraseInput.passphrase(inFile:)))
  }
}
