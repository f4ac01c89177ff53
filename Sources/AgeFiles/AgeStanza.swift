internal import Crypto
internal import CryptoExtras
internal import Foundation

/// A part of a header that holds the file key, encrypted for one recipient.
struct AgeStanza: Hashable {
  let arguments: [String]
  let body: [UInt8]

  private static let keyAgreement = "X25519"
  private static let keyAgreementInfo = "age-encryption.org/v1/X25519"
  private static let passphrase = "scrypt"
  private static let passphraseInfo = "age-encryption.org/v1/scrypt"
  /// The length of the salt of a passphrase.
  private static let saltBytes = 16
  /// The length of an encrypted file key, and its tag.
  private static let bodyBytes = AgeHeader.fileKeyBytes + AgePayloadKey.tagBytes
  /// The block size of scrypt.
  private static let blockSize = 8

  var isPassphrase: Bool { arguments.first == AgeStanza.passphrase }
  private var isKeyAgreement: Bool { arguments.first == AgeStanza.keyAgreement }

  // MARK: - Encryption

  init(arguments: [String], body: [UInt8]) {
    self.arguments = arguments
    self.body = body
  }

  /// Encrypts a file key to a recipient with a new ephemeral key.
  init(
    _ fileKey: [UInt8], to recipient: AgeRecipient, using random: inout some RandomNumberGenerator
  ) throws(AgeError) {
    let ephemeral = AgeIdentity(using: &random)
    let share = ephemeral.recipient.publicKey
    guard
      let key = AgeStanza.wrapKey(
        secret: ephemeral.secret, with: recipient.publicKey, share: share,
        recipient: recipient.publicKey)
    else {
      throw AgeError(.badKey, "\(recipient.text) is not a usable key: name another recipient")
    }
    arguments = [AgeStanza.keyAgreement, RawBase64.encode(share)]
    body = AgePayloadKey(key).seal(fileKey, nonce: AgePayloadKey.zeroNonce)
  }

  /// Encrypts a file key with a passphrase and a new salt.
  init(
    _ fileKey: [UInt8], with passphrase: AgePassphrase,
    using random: inout some RandomNumberGenerator
  ) throws(AgeError) {
    let salt = (0..<AgeStanza.saltBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
    let key = try AgeStanza.wrapKey(passphrase, salt: salt, workFactor: passphrase.workFactor)
    arguments = [
      AgeStanza.passphrase, RawBase64.encode(salt), String(passphrase.workFactor),
    ]
    body = AgePayloadKey(key).seal(fileKey, nonce: AgePayloadKey.zeroNonce)
  }

  // MARK: - Decryption

  /// The file key, if the stanza is for one of the identities.
  ///
  /// - Throws: ``AgeError``: `malformed` if it breaks a rule of its type.
  func fileKey(_ identities: [AgeIdentity]) throws(AgeError) -> [UInt8]? {
    guard isKeyAgreement else { return nil }
    guard arguments.count == 2, let share = RawBase64.decode(arguments[1]),
      share.count == AgeIdentity.keyBytes, body.count == AgeStanza.bodyBytes
    else { throw malformed }
    for identity in identities {
      guard
        let key = AgeStanza.wrapKey(
          secret: identity.secret, with: share, share: share,
          recipient: identity.recipient.publicKey)
      else { throw malformed }
      if let fileKey = AgePayloadKey(key).open(body, nonce: AgePayloadKey.zeroNonce) {
        return fileKey
      }
    }
    return nil
  }

  /// The file key, if it was encrypted with the passphrase.
  ///
  /// - Throws: ``AgeError``: `malformed` if it breaks a rule of its type, or asks for more work
  ///   than ``AgePassphrase/workFactorMax``.
  func fileKey(_ passphrase: AgePassphrase) throws(AgeError) -> [UInt8]? {
    guard isPassphrase, arguments.count == 3, let salt = RawBase64.decode(arguments[1]),
      salt.count == AgeStanza.saltBytes, body.count == AgeStanza.bodyBytes,
      let workFactor = Int(arguments[2]), workFactor > 0, String(workFactor) == arguments[2]
    else { throw malformed }
    guard workFactor <= AgePassphrase.workFactorMax else {
      throw AgeError(
        .malformed,
        "its passphrase takes more work than is allowed: 2^\(workFactor) instead of at most "
          + "2^\(AgePassphrase.workFactorMax)")
    }
    let key = try AgeStanza.wrapKey(passphrase, salt: salt, workFactor: workFactor)
    return AgePayloadKey(key).open(body, nonce: AgePayloadKey.zeroNonce)
  }

  private var malformed: AgeError {
    AgeError(.malformed, "its header has a malformed \(arguments.first ?? "") part")
  }

  // MARK: - Keys

  /// The key that a file key is encrypted with; nil if the shared secret is zero.
  private static func wrapKey(
    secret: [UInt8], with other: [UInt8], share: [UInt8], recipient: [UInt8]
  ) -> SymmetricKey? {
    do {
      let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret)
      let shared = try key.sharedSecretFromKeyAgreement(
        with: Curve25519.KeyAgreement.PublicKey(rawRepresentation: other))
      // With a point of low order, the secret would be one that everybody knows.
      if shared == [UInt8](repeating: 0, count: AgeIdentity.keyBytes) { return nil }
      return shared.hkdfDerivedSymmetricKey(
        using: SHA256.self, salt: share + recipient, sharedInfo: Array(keyAgreementInfo.utf8),
        outputByteCount: AgePayloadKey.byteCount)
    } catch { return nil }
  }

  private static func wrapKey(
    _ passphrase: AgePassphrase, salt: [UInt8], workFactor: Int
  ) throws(AgeError) -> SymmetricKey {
    do {
      return try KDF.Scrypt.deriveKey(
        from: passphrase.bytes, salt: Array(passphraseInfo.utf8) + salt,
        outputByteCount: AgePayloadKey.byteCount, rounds: 1 << workFactor, blockSize: blockSize,
        parallelism: 1)
    } catch {
      throw AgeError(
        .badKey,
        "the key of the passphrase cannot be derived, which takes \(1 << workFactor) KiB "
          + "of memory: \(error)")
    }
  }
}
