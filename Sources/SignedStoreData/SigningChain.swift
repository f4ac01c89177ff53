internal import Crypto
internal import LedgerEvents
internal import SwiftASN1
internal import X509

/// The certificates of a signature, verified in everything that does not depend on the time.
///
/// The path is fixed: leaf, intermediate, root. So this checks it as RFC 5280, 6.1 has it, and
/// builds none.
struct SigningChain: Sendable {
  /// The key that signed.
  let key: P256.Signing.PublicKey
  /// The leaf first. The last one is the root as it is trusted, which may differ from the one that
  /// was sent.
  let certificates: [SigningCertificate]

  /// Whether it is the pinned certificate of local testing.
  var isLocal: Bool { certificates.first?.role == .local }

  /// The number of certificates in a chain of the store.
  static let storeCertificateCount = 3

  /// - Parameter certificates: The certificates in DER, the leaf first.
  init(
    _ certificates: [[UInt8]], roots: TrustedRoots, pinned: Set<CertificateFingerprint>
  ) throws(SignedDataError) {
    switch certificates.count {
    case 1: try self.init(local: certificates[0], pinned: pinned)
    case Self.storeCertificateCount: try self.init(store: certificates, roots: roots)
    default:
      throw SignedDataError(
        .wrongCertificateCount,
        "expected the three certificates of the store, or one of local testing, "
          + "found \(certificates.count)",
        remedy: SignedDataError.takeUnchanged)
    }
  }

  /// A certificate of Xcode or another local test, which signed itself and is therefore believed
  /// only if somebody pinned it.
  private init(
    local der: [UInt8], pinned: Set<CertificateFingerprint>
  ) throws(SignedDataError) {
    let read = try ReadCertificate(der, .local)
    guard pinned.contains(read.fingerprint) else {
      throw SignedDataError(
        .unpinnedCertificate, .local,
        "this was signed by a single certificate, as Xcode and local tests do: SHA-256 "
          + "\(read.fingerprint)",
        remedy: "If it is the certificate of your own tests, pin that SHA-256")
    }
    key = try Self.signingKey(of: read, .local)
    certificates = [SigningCertificate(read.certificate, read.fingerprint, .local)]
  }

  private init(store certificates: [[UInt8]], roots: TrustedRoots) throws(SignedDataError) {
    let leaf = try ReadCertificate(certificates[0], .leaf)
    let intermediate = try ReadCertificate(certificates[1], .intermediate)
    let last = try ReadCertificate(certificates[2], .root)
    try Self.checkOrder(leaf, intermediate, last)
    let root = try roots.trusted(last)
    try CertificatePurpose.checkRoot(root.certificate)
    try CertificatePurpose.checkIntermediate(intermediate.certificate)
    try CertificatePurpose.checkLeaf(leaf.certificate)
    key = try Self.signingKey(of: leaf, .leaf)
    try Self.checkSignature(of: intermediate, .intermediate, by: root)
    try Self.checkSignature(of: leaf, .leaf, by: intermediate)
    self.certificates = [
      SigningCertificate(leaf.certificate, leaf.fingerprint, .leaf),
      SigningCertificate(intermediate.certificate, intermediate.fingerprint, .intermediate),
      SigningCertificate(root.certificate, root.fingerprint, .root),
    ]
  }

  /// Throws if a certificate was not valid at the time of signing.
  ///
  /// The chain is checked at that time and not at the time of verification, so that what was once
  /// signed correctly stays so after its certificates have expired.
  func check(at signedAt: Instant) throws(SignedDataError) {
    for certificate in certificates { try certificate.check(at: signedAt) }
  }

  private static func signingKey(
    of read: ReadCertificate, _ role: CertificateRole
  ) throws(SignedDataError) -> P256.Signing.PublicKey {
    guard let key = P256.Signing.PublicKey(read.certificate.publicKey) else {
      throw SignedDataError(
        .wrongPurpose, role,
        "expected a key for P-256 in the \(role) certificate, found "
          + String(describing: read.certificate.publicKey),
        remedy: CertificatePurpose.remedy)
    }
    return key
  }

  /// Throws if the issuer of a certificate is not the subject of the next one.
  private static func checkOrder(
    _ leaf: ReadCertificate, _ intermediate: ReadCertificate, _ last: ReadCertificate
  ) throws(SignedDataError) {
    let chain = [leaf.certificate, intermediate.certificate, last.certificate]
    let roles: [CertificateRole] = [.leaf, .intermediate]
    for (index, role) in roles.enumerated() where chain[index].issuer != chain[index + 1].subject {
      let isElsewhere = chain.contains { $0.subject == chain[index].issuer }
      throw SignedDataError(
        .brokenChain, role,
        "the \(role) certificate was issued by \("\(chain[index].issuer)".prefix(200)), "
          + "which is not the next certificate"
          + (isElsewhere ? ": they are not in the order leaf, intermediate, root" : ""),
        remedy: SignedDataError.takeUnchanged)
    }
  }

  private static func checkSignature(
    of read: ReadCertificate, _ role: CertificateRole, by issuer: ReadCertificate
  ) throws(SignedDataError) {
    let certificate = read.certificate
    guard trustedAlgorithms.contains(certificate.signatureAlgorithm) else {
      throw SignedDataError(
        .brokenChain, role,
        "the \(role) certificate is signed with \(certificate.signatureAlgorithm), "
          + "which is too weak or not known",
        remedy: "Do not believe it: the store uses ECDSA with SHA-2")
    }
    guard
      issuer.certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
    else {
      throw SignedDataError(
        .brokenChain, role,
        "the signature of the \(role) certificate is not that of its issuer",
        remedy: "Do not believe it: the certificate was changed or made up")
    }
  }

  /// Signatures of certificates that are believed: SHA-1 is not among them.
  private static let trustedAlgorithms: Set<Certificate.SignatureAlgorithm> = [
    .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512, .sha256WithRSAEncryption,
    .sha384WithRSAEncryption, .sha512WithRSAEncryption,
  ]
}
