import Crypto
import CryptoExtras
import Foundation
import LedgerEvents
import SwiftASN1
import Testing
import X509

@testable import SignedStoreData

/// What a chain of the tests is made of. Without changes, it is like one of the store's.
struct ChainRecipe {
  var rootName = "Root"
  var leafDates = ("2022-06-01T00:00:00Z", "2024-06-01T00:00:00Z")
  var intermediateDates = ("2021-03-17T00:00:00Z", "2036-03-19T00:00:00Z")
  var rootDates = ("2014-04-30T00:00:00Z", "2039-04-30T00:00:00Z")
  var leafMark: ASN1ObjectIdentifier? = CertificatePurpose.leafMark
  var intermediateMark: ASN1ObjectIdentifier? = CertificatePurpose.intermediateMark
  var rootConstraints: BasicConstraints? = .isCertificateAuthority(maxPathLength: nil)
  var intermediateConstraints: BasicConstraints? = .isCertificateAuthority(maxPathLength: 0)
  var leafConstraints: BasicConstraints? = .notCertificateAuthority
  var intermediateUsage: KeyUsage? = KeyUsage(keyCertSign: true, cRLSign: true)
  var leafUsage: KeyUsage? = KeyUsage(digitalSignature: true)
  var moreOfRoot: [Certificate.Extension] = []
  var moreOfIntermediate: [Certificate.Extension] = []
  var moreOfLeaf: [Certificate.Extension] = []
  var leafVersion = Certificate.Version.v3
  /// The key in the leaf certificate, if it is not for P-256.
  var leafKey: Certificate.PublicKey?
  /// Whose key signs the intermediate, and whose the leaf.
  var rootKeyName = "root"
  var intermediateSigner = "root"
  var leafSigner = "intermediate"
}

/// A chain of certificates under a test root, and the key of its leaf.
struct SigningSamples {
  let certificates: [Certificate]
  let key: P256.Signing.PrivateKey

  static let bundleID = "com.example.shop"
  static let appAppleID: Int64 = 1_234_567_890
  static let signedAt = "2023-06-02T10:00:00Z"
  /// Long after the leaf has expired.
  static let now = instant("2026-11-01T00:00:00Z")

  init(_ recipe: ChainRecipe = ChainRecipe()) throws {
    key = Self.key("leaf")
    let root = try Self.certificate(
      recipe.rootName, by: recipe.rootName, signedBy: recipe.rootKeyName, recipe.rootDates,
      Certificate.PublicKey(Self.key(recipe.rootKeyName).publicKey),
      Self.extensions(
        recipe.rootConstraints, KeyUsage(keyCertSign: true, cRLSign: true), nil, recipe.moreOfRoot))
    let intermediate = try Self.certificate(
      "Intermediate", by: recipe.rootName, signedBy: recipe.intermediateSigner,
      recipe.intermediateDates, Certificate.PublicKey(Self.key("intermediate").publicKey),
      Self.extensions(
        recipe.intermediateConstraints, recipe.intermediateUsage, recipe.intermediateMark,
        recipe.moreOfIntermediate))
    let leaf = try Self.certificate(
      "Leaf", by: "Intermediate", signedBy: recipe.leafSigner, recipe.leafDates,
      recipe.leafKey ?? Certificate.PublicKey(key.publicKey),
      Self.extensions(
        recipe.leafConstraints, recipe.leafUsage, recipe.leafMark, recipe.moreOfLeaf),
      version: recipe.leafVersion)
    certificates = [leaf, intermediate, root]
  }

  /// The certificate of a local test, as Xcode makes it.
  static func local(
    from start: String = "2023-01-01T00:00:00Z", to end: String = "2024-01-01T00:00:00Z"
  ) throws -> SigningSamples {
    let certificate = try certificate(
      "StoreKit Testing in Xcode", by: "StoreKit Testing in Xcode", signedBy: "leaf", (start, end),
      Certificate.PublicKey(key("leaf").publicKey),
      extensions(
        .isCertificateAuthority(maxPathLength: 0), KeyUsage(digitalSignature: true), nil, []))
    return SigningSamples(certificates: [certificate], key: key("leaf"))
  }

  private init(certificates: [Certificate], key: P256.Signing.PrivateKey) {
    self.certificates = certificates
    self.key = key
  }

  /// A key that is the same in each run.
  static func key(_ name: String) -> P256.Signing.PrivateKey {
    // The digest of a few letters is not 0 and below the curve's order.
    try! P256.Signing.PrivateKey(rawRepresentation: SHA256.hash(data: Array(name.utf8)))
  }

  static func instant(_ text: String) -> Instant { Instant(rfc3339: text)! }

  private static func certificate(
    _ name: String, by issuer: String, signedBy signer: String, _ dates: (String, String),
    _ key: Certificate.PublicKey, _ extensions: Certificate.Extensions,
    version: Certificate.Version = .v3
  ) throws -> Certificate {
    func date(_ text: String) -> Date {
      Date(timeIntervalSince1970: Double(instant(text).microseconds) / 1_000_000)
    }
    return try Certificate(
      version: version, serialNumber: .init(bytes: [0x3A] + Array(name.utf8.prefix(4))),
      publicKey: key, notValidBefore: date(dates.0), notValidAfter: date(dates.1),
      issuer: DistinguishedName { CommonName(issuer) },
      subject: DistinguishedName { CommonName(name) }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: extensions, issuerPrivateKey: .init(Self.key(signer)))
  }

  static func extensions(
    _ constraints: BasicConstraints?, _ usage: KeyUsage?, _ mark: ASN1ObjectIdentifier?,
    _ more: [Certificate.Extension]
  ) throws -> Certificate.Extensions {
    var all: [Certificate.Extension] = []
    if let constraints { all.append(try Certificate.Extension(constraints, critical: true)) }
    if let usage { all.append(try Certificate.Extension(usage, critical: true)) }
    if let mark { all.append(.init(oid: mark, critical: false, value: [5, 0])) }
    return try Certificate.Extensions(all + more)
  }
}

// MARK: - Signing and verifying

extension SigningSamples {
  /// The certificates in DER, the leaf first.
  var der: [[UInt8]] {
    certificates.map { certificate in
      var serializer = DER.Serializer()
      try! serializer.serialize(certificate)
      return serializer.serializedBytes
    }
  }

  var roots: TrustedRoots {
    get throws { try TrustedRoots(der: [der[der.count - 1]]) }
  }

  func verifier(
    environments: Set<StoreEnvironment> = [.production], appAppleID: Int64? = Self.appAppleID,
    pinned: Set<CertificateFingerprint> = []
  ) throws -> SignedDataVerifier {
    SignedDataVerifier(
      app: ExpectedApp(
        bundleID: Self.bundleID, appAppleID: appAppleID, environments: environments),
      roots: try roots, pinned: pinned)
  }

  static func header(
    _ certificates: [[UInt8]], algorithm: String = "ES256", more: String = ""
  ) -> String {
    let texts = certificates.map { "\"\(Data($0).base64EncodedString())\"" }
    return "{\"alg\":\"\(algorithm)\",\"x5c\":[\(texts.joined(separator: ","))]\(more)}"
  }

  /// The payload, signed by the leaf's key.
  ///
  /// - Parameter header: The header as JSON; nil for the right one.
  func jws(_ payload: String, header: String? = nil) throws -> [UInt8] {
    let parts = [header ?? Self.header(der), payload].map { Self.base64URL(Array($0.utf8)) }
    let signed = Array(parts.joined(separator: ".").utf8)
    let signature = try key.signature(for: SHA256.hash(data: signed)).rawRepresentation
    return signed + Array(("." + Self.base64URL(Array(signature))).utf8)
  }

  static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  /// The text with another letter in one place.
  static func changed(_ text: [UInt8], at index: Int) -> [UInt8] {
    var changed = text
    changed[index] = text[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return changed
  }

  static func milliseconds(_ time: String) -> Int64 { instant(time).microseconds / 1_000 }

  static func transaction(
    at time: String = signedAt, bundleID: String? = Self.bundleID,
    environment: String? = "Production", more: String = ""
  ) -> String {
    "{\"transactionId\":\"1\",\"originalTransactionId\":\"1\""
      + (bundleID.map { ",\"bundleId\":\"\($0)\"" } ?? "")
      + (environment.map { ",\"environment\":\"\($0)\"" } ?? "")
      + ",\"signedDate\":\(milliseconds(time))\(more)}"
  }

  static func renewal(at time: String = signedAt, environment: String? = "Production") -> String {
    "{\"originalTransactionId\":\"1\",\"autoRenewStatus\":1"
      + (environment.map { ",\"environment\":\"\($0)\"" } ?? "")
      + ",\"signedDate\":\(milliseconds(time))}"
  }

  /// A notification with this part, such as `"data":{…}`.
  static func notification(at time: String? = signedAt, _ part: String) -> String {
    "{\"notificationType\":\"DID_RENEW\",\"notificationUUID\":\"u\",\"version\":\"2.0\","
      + (time.map { "\"signedDate\":\(milliseconds($0))," } ?? "") + part + "}"
  }

  static func data(
    bundleID: String? = Self.bundleID, appAppleID: Int64? = Self.appAppleID,
    environment: String = "Production", name: String = "data", more: String = ""
  ) -> String {
    "\"\(name)\":{\"environment\":\"\(environment)\""
      + (bundleID.map { ",\"bundleId\":\"\($0)\"" } ?? "")
      + (appAppleID.map { ",\"appAppleId\":\($0)" } ?? "") + "\(more)}"
  }
}

/// Expects that something is refused with a code, for a certificate and at a place.
@discardableResult
func expectRefusal(
  _ code: SignedDataError.Code, _ certificate: CertificateRole? = nil, at path: String = "",
  comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> some Any
) -> String {
  let error = #expect(throws: SignedDataError.self, comment, sourceLocation: sourceLocation) {
    _ = try body()
  }
  guard let error else { return "" }
  #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
  #expect(error.certificate == certificate, "\(error)", sourceLocation: sourceLocation)
  #expect(error.path == path, "\(error)", sourceLocation: sourceLocation)
  #expect(!error.reason.isEmpty && !error.remedy.isEmpty, sourceLocation: sourceLocation)
  return "\(error)"
}
