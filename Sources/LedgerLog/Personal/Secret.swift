internal import Crypto

/// The secret of a key slot or of an event: a key to encrypt with and a nonce to commit with.
package struct Secret: Sendable {
  /// The key and the nonce, 32 bytes.
  let bytes: [UInt8]

  static let byteCount = keyByteCount + Commitment.nonceByteCount

  /// The key is for AES with 128 bits. It is used for one text and never again.
  private static let keyByteCount = 16
  private static let tagByteCount = 16

  /// The number of bytes that encryption adds to a text, which show that it was not changed.
  static let overhead = tagByteCount

  /// - Precondition: `bytes` has 32 bytes.
  init(_ bytes: [UInt8]) {
    precondition(bytes.count == Secret.byteCount, "a secret of another length")
    self.bytes = bytes
  }

  /// Creates the secret that gives `wrapped` when combined by XOR with `pad`, or the other way
  /// round. A pad is used for one secret only.
  init(_ wrapped: [UInt8], unwrappedWith pad: Secret) {
    self.init(zip(wrapped, pad.bytes).map { $0 ^ $1 })
  }

  /// The nonce of commitments.
  var nonce: [UInt8] { Array(bytes[Secret.keyByteCount...]) }

  private var key: SymmetricKey { SymmetricKey(data: bytes[..<Secret.keyByteCount]) }

  /// Encrypts `text` (AES-GCM, NIST SP 800-38D).
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - commitment: The commitment to the text. Its first bytes are the nonce of the encryption.
  ///     So if a slot is used again after a failed commit, another text gets another nonce.
  func seal(_ text: [UInt8], commitment: [UInt8]) throws(LedgerError) -> [UInt8] {
    do {
      let box = try AES.GCM.seal(text, using: key, nonce: try Secret.nonce(commitment))
      return Array(box.ciphertext) + Array(box.tag)
    } catch {
      throw LedgerError(.io, "A personal text could not be sealed: \(error).", cause: error)
    }
  }

  /// Returns the decrypted text, or `nil` if this secret did not encrypt these bytes.
  func open(_ sealed: [UInt8], commitment: [UInt8]) -> [UInt8]? {
    guard sealed.count >= Secret.tagByteCount else { return nil }
    let end = sealed.count - Secret.tagByteCount
    do {
      let box = try AES.GCM.SealedBox(
        nonce: try Secret.nonce(commitment), ciphertext: sealed[..<end], tag: sealed[end...])
      return Array(try AES.GCM.open(box, using: key))
    } catch {
      // This can only fail if the text was changed or encrypted with another key.
      return nil
    }
  }

  private static func nonce(_ commitment: [UInt8]) throws -> AES.GCM.Nonce {
    try AES.GCM.Nonce(data: commitment.prefix(12))
  }
}
