internal import Crypto
internal import Foundation
public import LedgerEvents
internal import SwiftASN1
internal import X509

/// The place of a certificate in the chain of a signature.
public enum CertificateRole: String, CaseIterable, Sendable {
  /// The certificate whose key signed.
  case leaf
  /// The certificate that issued the leaf.
  case intermediate
  /// The certificate that is trusted.
  case root
  /// The only certificate of a signature by Xcode or another local test.
  case local
}

/// The SHA-256 of a certificate in DER.
public struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
  /// The 32 bytes.
  public let bytes: [UInt8]

  /// Computes the fingerprint of a certificate.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  public init(ofDER certificate: [UInt8]) { bytes = Array(SHA256.hash(data: certificate)) }

  /// Reads a fingerprint: 64 hexadecimal digits, with or without a colon after each two, as OpenSSL
  /// and macOS show them. Returns nil if `text` is something else.
  public init?(_ text: String) {
    var digits = Array(text.utf8)
    if digits.contains(UInt8(ascii: ":")) {
      let pairs = digits.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard pairs.allSatisfy({ $0.count == 2 }) else { return nil }
      digits = Array(pairs.joined())
    }
    let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard values.count == digits.count, values.count == 2 * SHA256.byteCount else { return nil }
    bytes = stride(from: 0, to: values.count, by: 2).map {
      UInt8(values[$0] << 4 | values[$0 + 1])
    }
  }

  /// 64 hexadecimal digits in lower case.
  public var description: String { hexadecimal(bytes) }
}

/// What a certificate of a chain says.
public struct SigningCertificate: Hashable, Sendable {
  /// Its place in the chain.
  public let role: CertificateRole
  /// Whom it belongs to (RFC 4514).
  public let subject: String
  /// Who issued it (RFC 4514).
  public let issuer: String
  /// Its serial number, in hexadecimal digits.
  public let serialNumber: String
  /// The SHA-256 of its DER.
  public let fingerprint: CertificateFingerprint
  /// The first second in which it is valid.
  public let notBefore: Instant
  /// The last second in which it is valid (RFC 5280, 4.1.2.5).
  public let notAfter: Instant

  init(_ certificate: Certificate, _ fingerprint: CertificateFingerprint, _ role: CertificateRole) {
    self.role = role
    subject = String(describing: certificate.subject)
    issuer = String(describing: certificate.issuer)
    serialNumber = hexadecimal(certificate.serialNumber.bytes)
    self.fingerprint = fingerprint
    notBefore = Instant(certificate.notValidBefore)
    notAfter = Instant(certificate.notValidAfter)
  }

  /// Throws if the certificate was not valid at a time. Fractions of a second are dropped, because
  /// certificates count in seconds.
  func check(at signedAt: Instant) throws(SignedDataError) {
    let name = role == .local ? "local" : role.rawValue
    if signedAt < notBefore {
      throw SignedDataError(
        .notYetValid, role,
        "the \(name) certificate was valid from \(notBefore.rfc3339), "
          + "and this was signed at \(signedAt.rfc3339)",
        remedy: "Do not believe it: the store signs with valid certificates")
    }
    if signedAt.microseconds - notAfter.microseconds >= Instant.second {
      throw SignedDataError(
        .expired, role,
        "the \(name) certificate had expired at \(notAfter.rfc3339) "
          + "when this was signed at \(signedAt.rfc3339)",
        remedy: "Do not believe it: the store signs with valid certificates")
    }
  }
}

/// A certificate with the bytes that it was read from.
struct ReadCertificate: Sendable {
  let certificate: Certificate
  let der: [UInt8]
  let fingerprint: CertificateFingerprint

  init(_ der: [UInt8], _ role: CertificateRole) throws(SignedDataError) {
    guard der.count <= certificateBytesMax else {
      throw SignedDataError(
        .tooLarge, role,
        "the \(role) certificate has \(der.count) bytes, more than \(certificateBytesMax)",
        remedy: SignedDataError.takeUnchanged)
    }
    do { certificate = try Certificate(derEncoded: der) } catch {
      throw SignedDataError(
        .malformedCertificate, role, "the \(role) certificate is not X.509 in DER",
        remedy: SignedDataError.takeUnchanged)
    }
    self.der = der
    fingerprint = CertificateFingerprint(ofDER: der)
  }
}

extension Instant {
  /// The instant of a certificate's date, which is a whole second.
  fileprivate init(_ date: Date) {
    self.init(microseconds: Int64(date.timeIntervalSince1970) * Instant.second)
  }
}

private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }
  return String(decoding: text, as: UTF8.self)
}
