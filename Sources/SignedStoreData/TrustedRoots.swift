internal import SwiftASN1
internal import X509

/// The certificates at which a chain may end.
///
/// ```swift
/// let roots = TrustedRoots.apple
/// let others = try TrustedRoots(file: Array(try Data(contentsOf: file)))
/// ```
public struct TrustedRoots: Sendable {
  let roots: [ReadCertificate]

  private static let remedy = "Pass a certificate in DER, or one or more in PEM and nothing else"

  /// What the roots say.
  ///
  /// - Complexity: O(*n*) in the number of roots.
  public var certificates: [SigningCertificate] {
    roots.map { SigningCertificate($0.certificate, $0.fingerprint, .root) }
  }

  /// The certificates in DER.
  ///
  /// - Complexity: O(*n*) in the number of roots.
  public var encoded: [[UInt8]] { roots.map(\.der) }

  /// Trusts certificates in DER.
  ///
  /// - Throws: ``SignedDataError`` if one of them is not a certificate, or there is none.
  /// - Complexity: O(*n*) in the number of bytes.
  public init(der certificates: [[UInt8]]) throws(SignedDataError) {
    var roots: [ReadCertificate] = []
    for certificate in certificates {
      do throws(SignedDataError) { roots.append(try ReadCertificate(certificate, .root)) } catch {
        throw SignedDataError(error.code, .root, error.reason, remedy: Self.remedy)
      }
    }
    guard !roots.isEmpty else {
      throw SignedDataError(
        .untrustedRoot, .root, "there is no certificate to trust",
        remedy: Self.remedy)
    }
    self.roots = roots
  }

  /// Trusts the certificates in a file: one in DER, or any number in PEM (RFC 7468).
  ///
  /// - Throws: ``SignedDataError`` if the file holds anything else.
  /// - Complexity: O(*n*) in the number of bytes.
  public init(file bytes: [UInt8]) throws(SignedDataError) {
    guard bytes.starts(with: "-----BEGIN".utf8) else {
      try self.init(der: [bytes])
      return
    }
    let documents: [PEMDocument]
    do {
      documents = try PEMDocument.parseMultiple(pemString: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw SignedDataError(
        .malformedCertificate, .root, "the file begins as PEM and is not",
        remedy: Self.remedy)
    }
    guard documents.allSatisfy({ $0.discriminator == "CERTIFICATE" }) else {
      throw SignedDataError(
        .malformedCertificate, .root, "the file holds something else than certificates",
        remedy: Self.remedy)
    }
    try self.init(der: documents.map(\.derBytes))
  }

  /// Returns the root that a chain ends at.
  ///
  /// A root is trusted as RFC 5280, 6.1.1 (d) has it: by its name and its key. So a chain may end
  /// with the same root in another certificate. The trusted one decides how long it is valid.
  func trusted(_ last: ReadCertificate) throws(SignedDataError) -> ReadCertificate {
    if let same = roots.first(where: { $0.fingerprint == last.fingerprint }) { return same }
    let named = roots.filter { $0.certificate.subject == last.certificate.subject }
    if let same = named.first(where: { $0.certificate.publicKey == last.certificate.publicKey }) {
      return same
    }
    let name = String(String(describing: last.certificate.subject).prefix(200))
    throw SignedDataError(
      .untrustedRoot, .root,
      named.isEmpty
        ? "the chain ends at \(name) (SHA-256 \(last.fingerprint)), which is not a trusted root"
        : "the chain ends at a certificate with the name of a trusted root and another key: \(name)"
          + " (SHA-256 \(last.fingerprint))",
      remedy: named.isEmpty
        ? "Do not believe it, unless you know that root: then trust it, too"
        : "Do not believe it: somebody made that certificate up")
  }
}
