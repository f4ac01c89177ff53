/// The certificates by which a signed text of the store is believed, for whoever asks their issuers
/// whether they still stand by them.
///
/// Only a text whose signature is good has one, and only up to a trusted root. So whoever follows
/// an address that the certificates name follows none that a forger wrote.
package struct SignerChain: Sendable, Hashable {
  /// What the certificates say: leaf, intermediate and the root as it is trusted.
  package let certificates: [SigningCertificate]
  /// The same certificates in DER.
  package let encoded: [[UInt8]]

  /// Verifies the signature and the chain of a JWS; nil if a single certificate signed, as in local
  /// tests, which nobody issued and nobody can revoke.
  ///
  /// Neither what the payload says nor the time is looked at: ``SignedDataVerifier`` does.
  ///
  /// - Parameter text: The JWS in compact form, without spaces or line feeds.
  /// - Throws: ``SignedDataError`` if it is no JWS, or not signed by a chain of the roots.
  /// - Complexity: O(*n*) in the number of bytes, and three ECDSA checks.
  package init?(of text: [UInt8], roots: TrustedRoots) throws(SignedDataError) {
    let jws = try CompactJWS(text)
    let sent = try JWSHeader(jws.header).certificates
    guard sent.count != 1 else { return nil }
    let chain = try SigningChain(sent, roots: roots, pinned: [])
    try SignedDataVerifier.checkSignature(of: jws, by: chain)
    certificates = chain.certificates
    let root = try roots.trusted(ReadCertificate(sent[sent.count - 1], .root))
    encoded = sent.dropLast() + [root.der]
  }

  package static func == (one: Self, other: Self) -> Bool { one.encoded == other.encoded }

  package func hash(into hasher: inout Hasher) {
    for certificate in certificates { hasher.combine(certificate.fingerprint) }
  }
}
