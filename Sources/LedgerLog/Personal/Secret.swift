internal import Crypto

/// What one slot of the key file holds, or one event's own: a key to seal with and a nonce to
/// commit with.
package struct Secret: Sendable {
  /// Both together, 32 bytes.
  let bytes: [UInt8]

  static let byteCount = keyByteCount + Commitment.nonceByteCount

  /// AES with 128 bits: a key is used for one text and never again.
  private static let keyByteCount = 16
  private static let tagByteCount = 16

  /// The bytes that sealing adds to a text: what shows that it was not changed.
  static let overhead = tagByteCount

  /// - Precondition: There are 32 bytes.
  init(_ bytes: [UInt8]) {
    precondition(bytes.count == Secret.byteCount, "a secret of another length")
    self.bytes = bytes
  }

  /// The secret of which `wrapped` is the sum with `pad`, and the other way round: a pad is used
  /// for one secret.
  init(_ wrapped: [UInt8], unwrappedWith pad: Secret) {
    self.init(zip(wrapped, pad.bytes).map { $0 ^ $1 })
  }

  /// The nonce of commitments.
  var nonce: [UInt8] { Array(bytes[Secret.keyByteCount...]) }

  private var key: SymmetricKey { SymmetricKey(data: bytes[..<Secret.keyByteCount]) }

  /// Seals `text` (AES-GCM, NIST SP 800-38D).
  ///
  /// - Parameter commitment: The commitment to the text, whose first bytes are the seal's nonce: a
  ///   slot that is taken again after a commit that failed then seals another text under another
  ///   nonce.
  func seal(_ text: [UInt8], commitment: [UInt8]) throws(LedgerError) -> [UInt8] {
    do {
      let box = try AES.GCM.seal(text, using: key, nonce: try Secret.nonce(commitment))
      return Array(box.ciphertext) + Array(box.tag)
    } catch {
      throw LedgerError(.io, "A personal text could not be sealed: \(error).", cause: error)
    }
  }

  /// The text that was sealed; nil where the bytes are not what this secret has sealed.
  func open(_ sealed: [UInt8], commitment: [UInt8]) -> [UInt8]? {
    guard sealed.count >= Secret.tagByteCount else { return nil }
    let end = sealed.count - Secret.tagByteCount
    do {
      let box = try AES.GCM.SealedBox(
        nonce: try Secret.nonce(commitment), ciphertext: sealed[..<end], tag: sealed[end...])
      return Array(try AES.GCM.open(box, using: key))
    } catch {
      // The only failure is a text that was changed, or another key.
      return nil
    }
  }

  private static func nonce(_ commitment: [UInt8]) throws -> AES.GCM.Nonce {
    try AES.GCM.Nonce(data: commitment.prefix(12))
  }
}
