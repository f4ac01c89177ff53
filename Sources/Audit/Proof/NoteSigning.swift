/// A key that signs, wherever its private half is: in the program (``NoteSigner``), behind a
/// command (``CommandSigner``), or in a program's own connection to a hardware module.
public protocol NoteSigning: Sendable {
  /// The key that verifies what this key signs.
  var verifier: NoteVerifier { get }

  /// Returns the Ed25519 signature of exactly these bytes.
  ///
  /// The caller verifies it before it uses it.
  ///
  /// - Parameter message: The bytes to sign.
  /// - Returns: The signature, 64 bytes (RFC 8032).
  /// - Throws: ``ProofError``: `badKey`, or `signing` if the key is elsewhere and does not sign.
  func signature(of message: [UInt8]) throws(ProofError) -> [UInt8]
}

extension NoteSigning {
  /// Signs a text that ends with a line feed.
  ///
  /// - Throws: ``ProofError``: `badKey` for the key of a witness, or if the signature is not one of
  ///   this key; `signing`.
  func sign(_ text: String) throws(ProofError) -> SignedNote {
    try refuse(other: .log)
    let bytes = try verifiedSignature(of: Array(text.utf8))
    return SignedNote(text: text, signatures: [named(bytes)])
  }

  /// Returns a signature that the verifier key has verified.
  func verifiedSignature(of message: [UInt8]) throws(ProofError) -> [UInt8] {
    let bytes = try signature(of: message)
    guard verifier.isSignature(bytes, of: message) else {
      throw ProofError(
        .badKey,
        "what was returned as a signature of \(verifier.nameAndIdentifier) is not one: another key "
          + "signed, or something other than the given bytes was signed. Nothing was written")
    }
    return bytes
  }

  /// Returns a signature with the name and the id of this key.
  func named(_ bytes: [UInt8]) -> SignedNote.Signature {
    SignedNote.Signature(name: verifier.name, identifier: verifier.identifier, bytes: bytes)
  }

  /// Refuses a key that is not of the kind that is needed.
  func refuse(other kind: NoteVerifier.Kind) throws(ProofError) {
    guard verifier.kind != kind else { return }
    throw ProofError(
      .badKey,
      kind == .log
        ? "\(verifier.nameAndIdentifier) is the key of a witness, which cosigns checkpoints: name "
          + "a ledger's key"
        : "\(verifier.nameAndIdentifier) is the key of a ledger: name a witness's key, as "
          + "`daybook key new --witness` makes it")
  }
}
