internal import Crypto
internal import LedgerEvents
internal import X509

/// The certificates of a chain, verified in everything that does not depend on the time.
///
/// The path is fixed: leaf, intermediate, root. So this checks it as RFC 5280, 6.1 has it, and
/// builds none.
struct CertificatePath: Sendable {
  /// The leaf first. The last one is the root as it is trusted, which may differ from the one that
  /// was sent.
  let certificates: [SigningCertificate]
  /// The certificates whose own signature is over SHA-1.
  private let weak: [CertificateRole]

  /// Whether it is the pinned certificate of local testing.
  var isLocal: Bool { certificates.first?.role == .local }

  /// With which digests the certificates may be signed.
  enum Digests {
    /// SHA-2, as the certificates of JWS.
    case strong
    /// SHA-1, too, as those of app receipts until ``shaOneEnd``.
    case historic
  }

  /// The certificate of Xcode or another local test, which signed itself and is therefore believed
  /// only if somebody pinned it.
  init(local read: ReadCertificate, pinned: Set<CertificateFingerprint>) throws(SignedDataError) {
    guard pinned.contains(read.fingerprint) else {
      throw SignedDataError(
        .unpinnedCertificate, .local,
        "this was signed by a single certificate, as Xcode and local tests do: SHA-256 "
          + "\(read.fingerprint)",
        remedy: "If it is the certificate of your own tests, pin that SHA-256")
    }
    certificates = [SigningCertificate(read.certificate, read.fingerprint, .local)]
    weak = []
  }

  /// - Parameter root: The root as it is trusted.
  init(
    leaf: ReadCertificate, intermediate: ReadCertificate, root: ReadCertificate, digests: Digests
  ) throws(SignedDataError) {
    try CertificatePurpose.checkRoot(root.certificate)
    try CertificatePurpose.checkIntermediate(intermediate.certificate)
    try CertificatePurpose.checkLeaf(leaf.certificate)
    try Self.checkSignature(of: intermediate, .intermediate, by: root, digests)
    try Self.checkSignature(of: leaf, .leaf, by: intermediate, digests)
    certificates = [
      SigningCertificate(leaf.certificate, leaf.fingerprint, .leaf),
      SigningCertificate(intermediate.certificate, intermediate.fingerprint, .intermediate),
      SigningCertificate(root.certificate, root.fingerprint, .root),
    ]
    weak = [(CertificateRole.intermediate, intermediate), (.leaf, leaf)].compactMap {
      $1.certificate.signatureAlgorithm == .sha1WithRSAEncryption ? $0 : nil
    }
  }

  /// Throws if a certificate was not valid at the time of signing.
  ///
  /// The chain is checked at that time and not at the time of verification, so that what was once
  /// signed correctly stays so after its certificates have expired.
  func check(at signedAt: Instant) throws(SignedDataError) {
    for certificate in certificates { try certificate.check(at: signedAt) }
    if let role = weak.first, signedAt >= Self.shaOneEnd {
      throw SignedDataError(
        .brokenChain, role,
        "the \(role) certificate is signed with SHA-1, and this was signed at "
          + signedAt.rfc3339,
        remedy: "Do not believe it: the store's certificates with SHA-1 ended in January 2025")
    }
  }

  /// After this time nothing is believed that has a certificate signed with SHA-1:
  /// 2025-01-26T00:00:00Z. The store's last one expired on 2025-01-24 (Apple's TN3138), in whatever
  /// time zone.
  static let shaOneEnd = Instant(microseconds: 1_737_849_600_000_000)

  private static func checkSignature(
    of read: ReadCertificate, _ role: CertificateRole, by issuer: ReadCertificate,
    _ digests: Digests
  ) throws(SignedDataError) {
    let certificate = read.certificate
    let algorithm = certificate.signatureAlgorithm
    guard
      strongAlgorithms.contains(algorithm)
        || digests == .historic && algorithm == .sha1WithRSAEncryption
    else {
      throw SignedDataError(
        .brokenChain, role,
        "the \(role) certificate is signed with \(algorithm), which is too weak or not known",
        remedy: "Do not believe it: the store uses \(digests == .strong ? "ECDSA" : "RSA") with "
          + "SHA-2")
    }
    guard isSigned(certificate, by: issuer) else {
      throw SignedDataError(
        .brokenChain, role,
        "the signature of the \(role) certificate is not that of its issuer",
        remedy: "Do not believe it: the certificate was changed or made up")
    }
  }

  static func isSigned(_ certificate: Certificate, by issuer: ReadCertificate) -> Bool {
    issuer.certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
  }

  /// Signatures of certificates that are believed whenever they were made: SHA-1 is not among them.
  private static let strongAlgorithms: Set<Certificate.SignatureAlgorithm> = [
    .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512, .sha256WithRSAEncryption,
    .sha384WithRSAEncryption, .sha512WithRSAEncryption,
  ]
}
