internal import Crypto
internal import Foundation

/// A public key that files are encrypted to: `age1…`.
public struct AgeRecipient: Hashable, Sendable {
  /// The public key of X25519, 32 bytes.
  let publicKey: [UInt8]

  static let prefix = "age"

  /// Reads a recipient as `age-keygen` prints it.
  ///
  /// - Parameter text: The text `age1…`.
  /// - Throws: ``AgeError``: `badKey` if it is something else, or has a typing error.
  public init(_ text: String) throws(AgeError) {
    guard let bytes = Bech32.decode(text, prefix: AgeRecipient.prefix), text == text.lowercased(),
      bytes.count == AgeIdentity.keyBytes
    else {
      // A 1 separates the kind from the key, and is in no key.
      let isOfAnotherKind = text.hasPrefix("age1") && text.dropFirst(4).contains("1")
      throw AgeError(
        .badKey,
        isOfAnotherKind
          ? "\(text) is an age recipient of another kind: only those of X25519 can be used"
          : "\(text) is not an age recipient, which begins with age1 and has a checksum: copy it "
            + "again")
    }
    publicKey = bytes
  }

  init(publicKey: [UInt8]) { self.publicKey = publicKey }

  /// The recipient as text: `age1…`.
  public var text: String { Bech32.encode(AgeRecipient.prefix, publicKey) }
}

/// A private key that decrypts what was encrypted to its recipient: `AGE-SECRET-KEY-1…`.
public struct AgeIdentity: Sendable {
  /// The private key of X25519, 32 bytes.
  let secret: [UInt8]
  /// What is encrypted to it.
  public let recipient: AgeRecipient

  static let prefix = "age-secret-key-"
  /// The length of a key of X25519, public or private.
  static let keyBytes = 32

  /// Reads an identity as `age-keygen` writes it.
  ///
  /// - Parameter text: The text `AGE-SECRET-KEY-1…`.
  /// - Throws: ``AgeError``: `badKey` if it is something else. The message never shows the text.
  public init(_ text: String) throws(AgeError) {
    guard let bytes = Bech32.decode(text, prefix: AgeIdentity.prefix), text == text.uppercased(),
      let identity = AgeIdentity(secret: bytes)
    else {
      throw AgeError(
        .badKey,
        "this is not an age identity, which begins with AGE-SECRET-KEY-1 and has a checksum")
    }
    self = identity
  }

  /// An identity of 32 secret bytes; nil if they have another length.
  init?(secret: [UInt8]) {
    do {
      let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret)
      recipient = AgeRecipient(publicKey: [UInt8](key.publicKey.rawRepresentation))
    } catch { return nil }
    self.secret = secret
  }

  /// A new identity.
  ///
  /// - Parameter random: Where its secret comes from, which must be a cryptographic generator.
  public init(using random: inout some RandomNumberGenerator) {
    let secret = (0..<AgeIdentity.keyBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
    guard let identity = AgeIdentity(secret: secret) else {
      preconditionFailure("any 32 bytes are a private key of X25519")
    }
    self = identity
  }

  /// The identity as text: `AGE-SECRET-KEY-1…`.
  public var text: String { Bech32.encode(AgeIdentity.prefix, secret).uppercased() }

  /// Reads a file of identities, one a line; empty lines and lines with `#` are comments.
  ///
  /// - Parameter file: The bytes of the file.
  /// - Throws: ``AgeError``: `badKey` if a line is something else, or there is no identity.
  public static func identities(inFile file: [UInt8]) throws(AgeError) -> [AgeIdentity] {
    var found: [AgeIdentity] = []
    for line in String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let text = line.trimmingCharacters(in: .whitespaces)
      if text.isEmpty || text.hasPrefix("#") { continue }
      found.append(try AgeIdentity(text))
    }
    if found.isEmpty { throw AgeError(.badKey, "the file has no age identity") }
    return found
  }
}

/// A passphrase, and how much work it takes to try one.
public struct AgePassphrase: Sendable {
  let bytes: [UInt8]
  /// The base-two logarithm of the work factor of scrypt that a new file gets.
  let workFactor: Int

  /// The work factor of new files, the same as that of `age`: about a second, and 256 MiB of
  /// memory.
  public static let workFactor = 18
  /// The largest work factor that a file may ask for: 1 GiB of memory.
  public static let workFactorMax = 20
  /// The longest passphrase in bytes.
  public static let bytesMax = 1_024

  /// A passphrase of one line.
  ///
  /// - Parameters:
  ///   - text: The passphrase, in UTF-8. A line feed at its end is not part of it.
  ///   - workFactor: The base-two logarithm of the work factor for files that are encrypted with
  ///     it, 1 to ``workFactorMax``.
  /// - Throws: ``AgeError``: `badKey` if it is empty, longer than ``bytesMax``, has several lines
  ///   or is not UTF-8.
  public init(
    _ text: [UInt8], workFactor: Int = AgePassphrase.workFactor
  ) throws(AgeError) {
    precondition((1...AgePassphrase.workFactorMax).contains(workFactor))
    var line = text[...]
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard !line.isEmpty else { throw AgeError(.badKey, "the passphrase is empty") }
    guard !line.contains(UInt8(ascii: "\n")) else {
      throw AgeError(.badKey, "the passphrase has more than one line: a passphrase is one line")
    }
    guard line.count <= AgePassphrase.bytesMax else {
      throw AgeError(.badKey, "the passphrase is longer than \(AgePassphrase.bytesMax) bytes")
    }
    guard String(validating: line, as: UTF8.self) != nil else {
      throw AgeError(.badKey, "the passphrase is not valid UTF-8")
    }
    bytes = Array(line)
    self.workFactor = workFactor
  }
}

/// For whom a file is encrypted.
public enum AgeEncryption: Sendable {
  /// For the owners of these keys; each of them can decrypt it alone.
  case recipients([AgeRecipient])
  /// For everybody who knows the passphrase.
  case passphrase(AgePassphrase)
}

/// What files are decrypted with. Each file is tried with everything here that fits its kind, so
/// files that were encrypted differently can be read together.
public struct AgeDecryption: Sendable {
  /// The keys that a file may be encrypted to.
  public let identities: [AgeIdentity]
  /// The passphrases that a file may be encrypted with.
  public let passphrases: [AgePassphrase]

  /// Decrypts with whichever of these opens a file.
  ///
  /// - Parameters:
  ///   - identities: The keys that a file may be encrypted to.
  ///   - passphrases: The passphrases that a file may be encrypted with. Each one that is tried
  ///     takes the file's work factor.
  public init(identities: [AgeIdentity] = [], passphrases: [AgePassphrase] = []) {
    (self.identities, self.passphrases) = (identities, passphrases)
  }

  /// Decrypts with the first of these keys that a file was encrypted to.
  ///
  /// - Parameter identities: The keys.
  /// - Returns: A decryption without a passphrase.
  public static func identities(_ identities: [AgeIdentity]) -> AgeDecryption {
    AgeDecryption(identities: identities)
  }

  /// Decrypts with a passphrase.
  ///
  /// - Parameter passphrase: The passphrase.
  /// - Returns: A decryption without identities.
  public static func passphrase(_ passphrase: AgePassphrase) -> AgeDecryption {
    AgeDecryption(passphrases: [passphrase])
  }
}
