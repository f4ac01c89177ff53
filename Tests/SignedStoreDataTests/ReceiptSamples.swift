import Crypto
import CryptoExtras
import Foundation
import LedgerEvents
import SignedDataSamples
import SwiftASN1
import Testing
import X509

@testable import SignedStoreData

/// What the certificates of a receipt are made of. Without changes, they are like the store's.
struct ReceiptChainRecipe {
  var rootName = "Root"
  var rootDates = ("2006-04-25T00:00:00Z", "2035-02-09T00:00:00Z")
  var intermediateDates = ("2020-12-16T00:00:00Z", "2030-12-10T00:00:00Z")
  var leafDates = ("2022-09-02T00:00:00Z", "2024-10-01T00:00:00Z")
  var leafMark: ASN1ObjectIdentifier? = CertificatePurpose.leafMark
  var intermediateMark: ASN1ObjectIdentifier? = CertificatePurpose.intermediateMark
  var intermediateConstraints: BasicConstraints? = .isCertificateAuthority(maxPathLength: 0)
  var leafConstraints: BasicConstraints? = .notCertificateAuthority
  var leafUsage: KeyUsage? = KeyUsage(digitalSignature: true)
  var moreOfLeaf: [Certificate.Extension] = []
  /// The key in the leaf certificate, if it is not the one that signs.
  var leafKey: Certificate.PublicKey?
  /// Whose key signs the intermediate, and whose the leaf.
  var intermediateSigner = ReceiptKeys.root
  var leafSigner = ReceiptKeys.intermediate
  /// How the certificates are signed.
  var algorithm = Certificate.SignatureAlgorithm.sha256WithRSAEncryption
}

/// Receipts of the tests: their certificates under a test root, and the key of the leaf.
struct ReceiptSamples {
  let certificates: [Certificate]
  let key = ReceiptKeys.leaf

  static let bundleID = SigningSamples.bundleID
  static let createdAt = "2023-09-02T10:00:00Z"
  static let now = SigningSamples.now

  init(_ recipe: ReceiptChainRecipe = ReceiptChainRecipe()) throws {
    let root = try Self.certificate(
      recipe.rootName, by: recipe.rootName, ReceiptKeys.root, .sha1WithRSAEncryption,
      recipe.rootDates, .init(ReceiptKeys.root.publicKey),
      SigningSamples.extensions(
        .isCertificateAuthority(maxPathLength: nil), KeyUsage(keyCertSign: true, cRLSign: true),
        nil, []))
    let intermediate = try Self.certificate(
      "Authority", by: recipe.rootName, recipe.intermediateSigner, recipe.algorithm,
      recipe.intermediateDates, .init(ReceiptKeys.intermediate.publicKey),
      SigningSamples.extensions(
        recipe.intermediateConstraints, KeyUsage(keyCertSign: true, cRLSign: true),
        recipe.intermediateMark, []))
    let leaf = try Self.certificate(
      "Receipts", by: "Authority", recipe.leafSigner, recipe.algorithm, recipe.leafDates,
      recipe.leafKey ?? .init(ReceiptKeys.leaf.publicKey),
      SigningSamples.extensions(
        recipe.leafConstraints, recipe.leafUsage, recipe.leafMark, recipe.moreOfLeaf))
    certificates = [leaf, intermediate, root]
  }

  private init(certificates: [Certificate]) { self.certificates = certificates }

  /// Chains with SHA-1, as the store's until 2025.
  static func historic(to end: String = "2025-01-24T00:00:00Z") throws -> ReceiptSamples {
    var recipe = ReceiptChainRecipe()
    recipe.algorithm = .sha1WithRSAEncryption
    (recipe.intermediateDates.1, recipe.leafDates.1) = (end, end)
    return try ReceiptSamples(recipe)
  }

  /// The certificate of a local test, as Xcode makes it.
  static func local() throws -> ReceiptSamples {
    let name = "StoreKit"
    return ReceiptSamples(certificates: [
      try certificate(
        name, by: name, ReceiptKeys.leaf, .sha256WithRSAEncryption,
        ("2020-04-01T00:00:00Z", "2040-03-27T00:00:00Z"), .init(ReceiptKeys.leaf.publicKey),
        SigningSamples.extensions(
          .isCertificateAuthority(maxPathLength: nil),
          KeyUsage(digitalSignature: true, keyCertSign: true), nil,
          [try Certificate.Extension(ExtendedKeyUsage([.codeSigning]), critical: true)]))
    ])
  }

  private static func certificate(
    _ name: String, by issuer: String, _ signer: _RSA.Signing.PrivateKey,
    _ algorithm: Certificate.SignatureAlgorithm, _ dates: (String, String),
    _ key: Certificate.PublicKey, _ extensions: Certificate.Extensions
  ) throws -> Certificate {
    func date(_ text: String) -> Date {
      Date(timeIntervalSince1970: Double(SigningSamples.instant(text).microseconds) / 1_000_000)
    }
    return try Certificate(
      version: .v3, serialNumber: .init(bytes: [0x3A] + Array(name.utf8.prefix(4))),
      publicKey: key, notValidBefore: date(dates.0), notValidAfter: date(dates.1),
      issuer: DistinguishedName { CommonName(issuer) },
      subject: DistinguishedName { CommonName(name) }, signatureAlgorithm: algorithm,
      extensions: extensions, issuerPrivateKey: .init(signer))
  }

  var der: [[UInt8]] { certificates.map(encoded) }

  var roots: TrustedRoots {
    get throws { try TrustedRoots(der: [der[der.count - 1]]) }
  }

  func verifier(
    environments: Set<StoreEnvironment> = [.production],
    pinned: Set<CertificateFingerprint> = []
  ) throws -> SignedDataVerifier {
    SignedDataVerifier(
      app: ExpectedApp(bundleID: Self.bundleID, environments: environments), roots: try roots,
      pinned: pinned)
  }
}

/// A value in DER, as swift-asn1 writes it.
private func encoded(_ value: some DERSerializable) -> [UInt8] {
  var serializer = DER.Serializer()
  try! serializer.serialize(value)
  return serializer.serializedBytes
}

// MARK: - Attributes

/// An element of ASN.1 in DER: its tag, its length and its content.
func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
  var length: [UInt8] = [UInt8(truncatingIfNeeded: content.count)]
  if content.count > 0x7F {
    var rest = content.count
    length = []
    while rest > 0 {
      length.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    length.insert(0x80 | UInt8(length.count), at: 0)
  }
  return [tag] + length + content
}

/// An element of unknown length, which BER allows: its end is marked.
func unbounded(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, 0x80] + content + [0, 0] }

func integer(_ value: Int64) -> [UInt8] { encoded(value) }
func text(_ value: String) -> [UInt8] { element(0x0C, Array(value.utf8)) }
func date(_ value: String) -> [UInt8] { element(0x16, Array(value.utf8)) }
func identifier(_ value: ASN1ObjectIdentifier) -> [UInt8] { encoded(value) }

/// An attribute of a receipt.
func attribute(_ type: Int64, _ value: [UInt8], version: Int64 = 1) -> [UInt8] {
  element(0x30, integer(type) + integer(version) + element(0x04, value))
}

extension ReceiptSamples {
  static let purchase: [[UInt8]] = [
    attribute(1701, integer(2)), attribute(1702, text("com.example.pro")),
    attribute(1703, text("1002")), attribute(1704, date("2023-08-02T10:00:00Z")),
    attribute(1705, text("1001")), attribute(1706, date("2023-07-02T10:00:00Z")),
    attribute(1707, integer(3)), attribute(1708, date("2023-09-02T10:00:00Z")),
    attribute(1711, integer(1_000_000_012_345_678)), attribute(1712, date("")),
    attribute(1713, integer(0)), attribute(1719, integer(1)),
  ]

  /// The attributes of a receipt. Some are as in the store's that no documentation names.
  static func attributes(
    type: String = "Production", bundleID: String = Self.bundleID, at time: String = createdAt,
    purchases: [[[UInt8]]] = [purchase]
  ) -> [[UInt8]] {
    [
      attribute(0, text(type)), attribute(1, integer(0)), attribute(2, text(bundleID)),
      attribute(3, text("7")), attribute(4, [9, 8, 7, 6], version: 2),
      attribute(5, Array(Insecure.SHA1.hash(data: [1, 2, 3, 9, 8, 7, 6] + text(bundleID)))),
      attribute(8, date("")), attribute(12, date(time)),
      attribute(18, date("2022-08-01T07:00:00Z")), attribute(19, text("1.0")),
      attribute(21, date("")),
    ] + purchases.map { attribute(17, element(0x31, Array($0.joined()))) }
  }

  static func content(_ attributes: [[UInt8]]) -> [UInt8] {
    element(0x31, Array(attributes.joined()))
  }
}

// MARK: - Signing

/// How a receipt is written. Without changes, it is like one of the store's.
struct ReceiptForm {
  var digest = SignedReceipt.Digest.sha256
  var outerType: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 2]
  var contentType: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
  var digestIdentifier: ASN1ObjectIdentifier?
  var signatureIdentifier: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]
  var parameters: [UInt8] = [5, 0]
  var version: Int64 = 1
  var signerVersion: Int64 = 1
  var isDetached = false
  /// More in the signer's part: signed attributes, or unsigned ones.
  var signedAttributes: [UInt8] = []
  var unsignedAttributes: [UInt8] = []
  var signerCount = 1
  /// Whether it is BER with lengths that are not known before the end, as Xcode's.
  var isUnbounded = false
  var key = ReceiptKeys.leaf
  /// The serial number by which the signer is named.
  var serialNumber: [UInt8]?
}

extension ReceiptSamples {
  func receipt(_ attributes: [[UInt8]] = Self.attributes(), _ form: ReceiptForm = ReceiptForm())
    throws -> [UInt8]
  {
    try receipt(signing: Self.content(attributes), form)
  }

  /// - Parameter certificates: The certificates in the receipt; nil for leaf, intermediate, root.
  func receipt(
    signing content: [UInt8], _ form: ReceiptForm = ReceiptForm(), certificates: [[UInt8]]? = nil
  ) throws -> [UInt8] {
    let wrap = form.isUnbounded ? unbounded : element
    let sha: ASN1ObjectIdentifier =
      form.digest == .sha1 ? [1, 3, 14, 3, 2, 26] : [2, 16, 840, 1, 101, 3, 4, 2, 1]
    let algorithm = element(0x30, identifier(form.digestIdentifier ?? sha) + form.parameters)
    let signature =
      form.digest == .sha1
      ? try form.key.signature(for: Insecure.SHA1.hash(data: content), padding: .insecurePKCS1v1_5)
      : try form.key.signature(for: SHA256.hash(data: content), padding: .insecurePKCS1v1_5)
    let leaf =
      certificates.map(\.first)?.flatMap { try? Certificate(derEncoded: $0) }
      ?? self.certificates[0]
    let serial = form.serialNumber ?? Array(leaf.serialNumber.bytes)
    let signer = element(
      0x30,
      integer(form.signerVersion)
        + element(0x30, encoded(leaf.issuer) + element(0x02, serial)) + algorithm
        + form.signedAttributes
        + element(0x30, identifier(form.signatureIdentifier) + form.parameters)
        + element(0x04, Array(signature.rawRepresentation)) + form.unsignedAttributes)
    // BER may cut a string in pieces, which is what Xcode does with one piece.
    let half = content.count / 2
    let pieces = element(0x04, Array(content[..<half])) + element(0x04, Array(content[half...]))
    let octets = form.isUnbounded ? unbounded(0x24, pieces) : element(0x04, content)
    let inner = wrap(
      0x30, identifier(form.contentType) + (form.isDetached ? [] : wrap(0xA0, octets)))
    let signers = Array([[UInt8]](repeating: signer, count: form.signerCount).joined())
    let signed = wrap(
      0x30,
      integer(form.version) + element(0x31, algorithm) + inner
        + element(0xA0, Array((certificates ?? der).joined())) + element(0x31, signers))
    return wrap(0x30, identifier(form.outerType) + wrap(0xA0, signed))
  }
}
