internal import Crypto
internal import Foundation
package import LedgerEvents

/// A key that signs a service's answers, or has signed them: its public half.
package struct AnswerKey: Sendable, Hashable {
  /// The algorithm, as headers of JWS and keys name it: EdDSA, with Ed25519.
  ///
  /// Source: RFC 8037, section 3.1. RFC 9864 has the name Ed25519 for the same, which few libraries
  /// know yet.
  package static let algorithm = "EdDSA"

  /// The public key, 32 bytes (RFC 8032).
  package let publicKey: [UInt8]
  package let createdAt: Instant
  /// Since when another key signs in its place; nil for the one that signs.
  package let retiredAt: Instant?

  /// The id that names the key: its thumbprint (RFC 7638, with the members of RFC 8037).
  package var id: String {
    let members = "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"\(Base64URL.encode(publicKey))\"}"
    return Base64URL.encode(Array(SHA256.hash(data: Array(members.utf8))))
  }

  /// The key as a JSON Web Key.
  package var json: String {
    #"{"kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.encode(publicKey))","kid":"\#(id)","#
      + #""use":"sig","alg":"\#(Self.algorithm)"}"#
  }

  /// A set of keys as a JSON Web Key Set, a key a line.
  ///
  /// Source: RFC 7517, section 5.
  package static func json(_ keys: [AnswerKey]) -> String {
    "{\"keys\":[" + keys.map { "\n" + $0.json }.joined(separator: ",") + "\n]}"
  }
}

/// The key that signs.
package struct AnswerSigner: Sendable {
  /// What verifies its signatures.
  package let key: AnswerKey
  private let seed: [UInt8]

  /// - Parameters:
  ///   - seed: The private half, 32 bytes.
  ///   - createdAt: When it was made.
  /// - Throws: `CryptoKitError` if the seed has another length.
  init(seed: [UInt8], createdAt: Instant) throws {
    let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    self.seed = seed
    self.key = AnswerKey(
      publicKey: Array(key.publicKey.rawRepresentation), createdAt: createdAt, retiredAt: nil)
  }

  /// Makes the private half of a new key.
  static func newSeed() -> [UInt8] {
    Array(Curve25519.Signing.PrivateKey().rawRepresentation)
  }

  /// Signs a payload: a JWS in compact form.
  ///
  /// Source: RFC 7515, section 7.1; RFC 8725, section 3.11, for the explicit type.
  ///
  /// - Parameters:
  ///   - payload: What is signed.
  ///   - type: What the payload is, so that nobody takes it for something else.
  /// - Throws: ``TokenError``: `damaged` if the key does not sign, which does not happen.
  package func signed(_ payload: [UInt8], type: String) throws(TokenError) -> String {
    let header =
      "{\"alg\":\"\(AnswerKey.algorithm)\",\"typ\":\"\(type)\",\"kid\":\"\(key.id)\"}"
    let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(payload)
    do {
      let signature = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        .signature(for: Array(input.utf8))
      return input + "." + Base64URL.encode(Array(signature))
    } catch {
      throw TokenError(.damaged, "the answer key \(key.id) does not sign: \(error)")
    }
  }
}
