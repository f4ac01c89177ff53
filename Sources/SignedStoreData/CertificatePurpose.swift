internal import SwiftASN1
internal import X509

/// What the certificates of a chain must be meant for (RFC 5280, 4.2), and the marks that Apple
/// puts into those that sign the App Store's data.
enum CertificatePurpose {
  /// The mark of the leaf: *Mac App Store Receipt Signing*.
  static let leafMark: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
  /// The mark of the intermediate: *Apple Worldwide Developer Relations*.
  static let intermediateMark: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]

  static let remedy = "Do not believe it: that certificate is not for the App Store's signed data"

  /// The root is trusted as it is. What it says about the chain below it must be kept all the same.
  static func checkRoot(_ root: Certificate) throws(SignedDataError) {
    guard root.version == .v3 else { return }
    switch try constraints(of: root, .root) {
    case .isCertificateAuthority(let depth) where depth ?? 1 >= 1: break
    case .isCertificateAuthority:
      throw wrong(.root, "the root certificate allows no intermediate certificates")
    default: throw wrong(.root, "the root certificate is not that of an authority")
    }
    if let usage = try usage(of: root, .root), !usage.keyCertSign {
      throw wrong(.root, "the key of the root certificate must not issue others")
    }
    try checkExtensions(of: root, .root, handled: [])
  }

  static func checkIntermediate(_ certificate: Certificate) throws(SignedDataError) {
    try checkVersion(of: certificate, .intermediate)
    guard case .isCertificateAuthority = try constraints(of: certificate, .intermediate) else {
      throw wrong(.intermediate, "the intermediate certificate is not that of an authority")
    }
    if let usage = try usage(of: certificate, .intermediate), !usage.keyCertSign {
      throw wrong(.intermediate, "the key of the intermediate certificate must not issue others")
    }
    try checkMark(intermediateMark, of: certificate, .intermediate)
    try checkExtensions(of: certificate, .intermediate, handled: [intermediateMark])
  }

  static func checkLeaf(_ certificate: Certificate) throws(SignedDataError) {
    try checkVersion(of: certificate, .leaf)
    if case .isCertificateAuthority = try constraints(of: certificate, .leaf) {
      throw wrong(.leaf, "the leaf certificate is that of an authority, not of a signer")
    }
    if let usage = try usage(of: certificate, .leaf), !usage.digitalSignature {
      throw wrong(.leaf, "the key of the leaf certificate must not sign data")
    }
    try checkMark(leafMark, of: certificate, .leaf)
    try checkExtensions(of: certificate, .leaf, handled: [leafMark])
  }

  /// Extensions are those of version 3.
  private static func checkVersion(
    of certificate: Certificate, _ role: CertificateRole
  ) throws(SignedDataError) {
    guard certificate.version == .v3 else {
      throw wrong(role, "the \(role) certificate has version \(certificate.version), expected 3")
    }
  }

  private static func checkMark(
    _ mark: ASN1ObjectIdentifier, of certificate: Certificate, _ role: CertificateRole
  ) throws(SignedDataError) {
    guard certificate.extensions[oid: mark] != nil else {
      throw wrong(role, "the \(role) certificate has no extension \(mark)")
    }
  }

  /// Throws if an extension limits the certificate to something else, or if a critical one is not
  /// checked here (RFC 5280, 4.2).
  private static func checkExtensions(
    of certificate: Certificate, _ role: CertificateRole, handled: [ASN1ObjectIdentifier]
  ) throws(SignedDataError) {
    typealias Known = ASN1ObjectIdentifier.X509ExtensionID
    let purposes: ExtendedKeyUsage?
    do { purposes = try certificate.extensions.extendedKeyUsage } catch {
      throw malformed(role, "extended key usage")
    }
    // RFC 5280, 4.2.1.12: only for what it lists. The store's certificates list nothing.
    if role != .root, let purposes, !purposes.contains(.any) {
      throw wrong(role, "the \(role) certificate is for other purposes: \(purposes)")
    }
    // The names that an authority may certify. Apple's certificates have none, so nobody
    // evaluates them here.
    if certificate.extensions[oid: Known.nameConstraints] != nil {
      throw wrong(role, "the \(role) certificate limits names, which is not evaluated")
    }
    let known = handled + [Known.basicConstraints, Known.keyUsage, Known.extendedKeyUsage]
    if let unknown = certificate.extensions.first(where: { $0.critical && !known.contains($0.oid) })
    {
      throw wrong(role, "the \(role) certificate has an unknown critical extension \(unknown.oid)")
    }
  }

  private static func constraints(
    of certificate: Certificate, _ role: CertificateRole
  ) throws(SignedDataError) -> BasicConstraints? {
    do { return try certificate.extensions.basicConstraints } catch {
      throw malformed(role, "basic constraints")
    }
  }

  private static func usage(
    of certificate: Certificate, _ role: CertificateRole
  ) throws(SignedDataError) -> KeyUsage? {
    do { return try certificate.extensions.keyUsage } catch {
      throw malformed(role, "key usage")
    }
  }

  private static func wrong(_ role: CertificateRole, _ reason: String) -> SignedDataError {
    SignedDataError(.wrongPurpose, role, reason, remedy: remedy)
  }

  private static func malformed(_ role: CertificateRole, _ name: String) -> SignedDataError {
    SignedDataError(
      .malformedCertificate, role, "the \(name) of the \(role) certificate is malformed",
      remedy: SignedDataError.takeUnchanged)
  }
}
