internal import Crypto
internal import LedgerEvents
internal import SwiftASN1
internal import X509

/// The certificates of a JWS and the key that signed it, verified in everything that does not
/// depend on the time.
struct SigningChain: Sendable {
  /// The key that signed.
  let key: P256.Signing.PublicKey
  private let path: CertificatePath

  /// The leaf first.
  var certificates: [SigningCertificate] { path.certificates }

  /// Whether it is the pinned certificate of local testing.
  var isLocal: Bool { path.isLocal }

  /// The number of certificates in a chain of the store.
  static let storeCertificateCount = 3

  /// - Parameter certificates: The certificates in DER, the leaf first.
  init(
    _ certificates: [[UInt8]], roots: TrustedRoots, pinned: Set<CertificateFingerprint>
  ) throws(SignedDataError) {
    switch certificates.count {
    case 1:
      let read = try ReadCertificate(certificates[0], .local)
      path = try CertificatePath(local: read, pinned: pinned)
      key = try Self.signingKey(of: read, .local)
    case Self.storeCertificateCount:
      let leaf = try ReadCertificate(certificates[0], .leaf)
      let intermediate = try ReadCertificate(certificates[1], .intermediate)
      let last = try ReadCertificate(certificates[2], .root)
      try Self.checkOrder(leaf, intermediate, last)
      path = try CertificatePath(
        leaf: leaf, intermediate: intermediate, root: try roots.trusted(last), digests: .strong)
      key = try Self.signingKey(of: leaf, .leaf)
    default:
      throw SignedDataError(
        .wrongCertificateCount,
        "expected the three certificates of the store, or one of local testing, "
          + "found \(certificates.count)",
        remedy: SignedDataError.takeUnchanged)
    }
  }

  /// Throws if a certificate was not valid at the time of signing.
  func check(at signedAt: Instant) throws(SignedDataError) { try path.check(at: signedAt) }

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
}
