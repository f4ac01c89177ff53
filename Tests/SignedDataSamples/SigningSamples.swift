package import Crypto
import Foundation
package import LedgerEvents
package import SignedStoreData
package import SwiftASN1
package import X509

/// What a chain of the tests is made of. Without changes, it is like one of the store's.
package struct ChainRecipe {
  package static let leafMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
  package static let intermediateMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]

  package var rootName = "Root"
  package var leafDates = ("2022-06-01T00:00:00Z", "2024-06-01T00:00:00Z")
  package var intermediateDates = ("2021-03-17T00:00:00Z", "2036-03-19T00:00:00Z")
  package var rootDates = ("2014-04-30T00:00:00Z", "2039-04-30T00:00:00Z")
  package var leafMark: ASN1ObjectIdentifier? = Self.leafMark
  package var intermediateMark: ASN1ObjectIdentifier? = Self.intermediateMark
  package var rootConstraints: BasicConstraints? = .isCertificateAuthority(maxPathLength: nil)
  package var intermediateConstraints: BasicConstraints? = .isCertificateAuthority(maxPathLength: 0)
  package var leafConstraints: BasicConstraints? = .notCertificateAuthority
  package var intermediateUsage: KeyUsage? = KeyUsage(keyCertSign: true, cRLSign: true)
  package var leafUsage: KeyUsage? = KeyUsage(digitalSignature: true)
  package var moreOfRoot: [Certificate.Extension] = []
  package var moreOfIntermediate: [Certificate.Extension] = []
  package var moreOfLeaf: [Certificate.Extension] = []
  package var leafVersion = Certificate.Version.v3
  /// The key in the leaf certificate, if it is not for P-256.
  package var leafKey: Certificate.PublicKey?
  /// Whose key signs the intermediate, and whose the leaf.
  package var rootKeyName = "root"
  package var intermediateSigner = "root"
  package var leafSigner = "intermediate"

  package init() {}
}

/// A chain of certificates under a test root, and the key of its leaf.
package struct SigningSamples {
  package let certificates: [Certificate]
  package let key: P256.Signing.PrivateKey

  package static let bundleID = "com.example.shop"
  package static let appAppleID: Int64 = 1_234_567_890
  package static let signedAt = "2023-06-02T10:00:00Z"
  /// Long after the leaf has expired.
  package static let now = instant("2026-11-01T00:00:00Z")

  package init(_ recipe: ChainRecipe = ChainRecipe()) throws {
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
  package static func local(
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
  package static func key(_ name: String) -> P256.Signing.PrivateKey {
    // The digest of a few letters is not 0 and below the curve's order.
    try! P256.Signing.PrivateKey(rawRepresentation: SHA256.hash(data: Array(name.utf8)))
  }

  package static func instant(_ text: String) -> Instant { Instant(rfc3339: text)! }

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

  package static func extensions(
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
  package var der: [[UInt8]] {
    certificates.map { certificate in
      var serializer = DER.Serializer()
      try! serializer.serialize(certificate)
      return serializer.serializedBytes
    }
  }

  package var roots: TrustedRoots {
    get throws { try TrustedRoots(der: [der[der.count - 1]]) }
  }

  package func verifier(
    environments: Set<StoreEnvironment> = [.production], appAppleID: Int64? = Self.appAppleID,
    pinned: Set<CertificateFingerprint> = []
  ) throws -> SignedDataVerifier {
    SignedDataVerifier(
      app: ExpectedApp(
        bundleID: Self.bundleID, appAppleID: appAppleID, environments: environments),
      roots: try roots, pinned: pinned)
  }

  package static func header(
    _ certificates: [[UInt8]], algorithm: String = "ES256", more: String = ""
  ) -> String {
    let texts = certificates.map { "\"\(Data($0).base64EncodedString())\"" }
    return "{\"alg\":\"\(algorithm)\",\"x5c\":[\(texts.joined(separator: ","))]\(more)}"
  }

  /// The payload, signed by the leaf's key.
  ///
  /// - Parameter header: The header as JSON; nil for the right one.
  package func jws(_ payload: String, header: String? = nil) throws -> [UInt8] {
    let parts = [header ?? Self.header(der), payload].map { Self.base64URL(Array($0.utf8)) }
    let signed = Array(parts.joined(separator: ".").utf8)
    let signature = try key.signature(for: SHA256.hash(data: signed)).rawRepresentation
    return signed + Array(("." + Self.base64URL(Array(signature))).utf8)
  }

  package static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  /// The text with another letter in one place.
  package static func changed(_ text: [UInt8], at index: Int) -> [UInt8] {
    var changed = text
    changed[index] = text[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return changed
  }

  package static func milliseconds(_ time: String) -> Int64 { instant(time).microseconds / 1_000 }

  package static func transaction(
    at time: String = signedAt, bundleID: String? = Self.bundleID,
    environment: String? = "Production", more: String = ""
  ) -> String {
    "{\"transactionId\":\"1\",\"originalTransactionId\":\"1\""
      + (bundleID.map { ",\"bundleId\":\"\($0)\"" } ?? "")
      + (environment.map { ",\"environment\":\"\($0)\"" } ?? "")
      + ",\"signedDate\":\(milliseconds(time))\(more)}"
  }

  package static func renewal(at time: String = signedAt, environment: String? = "Production")
    -> String
  {
    "{\"originalTransactionId\":\"1\",\"autoRenewStatus\":1"
      + (environment.map { ",\"environment\":\"\($0)\"" } ?? "")
      + ",\"signedDate\":\(milliseconds(time))}"
  }

  /// A notification with this part, such as `"data":{…}`.
  package static func notification(at time: String? = signedAt, _ part: String) -> String {
    "{\"notificationType\":\"DID_RENEW\",\"notificationUUID\":\"u\",\"version\":\"2.0\","
      + (time.map { "\"signedDate\":\(milliseconds($0))," } ?? "") + part + "}"
  }

  package static func data(
    bundleID: String? = Self.bundleID, appAppleID: Int64? = Self.appAppleID,
    environment: String = "Production", name: String = "data", more: String = ""
  ) -> String {
    "\"\(name)\":{\"environment\":\"\(environment)\""
      + (bundleID.map { ",\"bundleId\":\"\($0)\"" } ?? "")
      + (appAppleID.map { ",\"appAppleId\":\($0)" } ?? "") + "\(more)}"
  }
}
