import Foundation
import LedgerEvents
import SignedDataSamples
import Testing

@testable import SignedStoreData

/// Files of public libraries, read in place. They are not part of this package.
enum PublicData {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "../shared/fixtures").standardizedFileURL
  static let apple = "apple+app-store-server-library-java/src/test/resources"

  static var isThere: Bool { FileManager.default.fileExists(atPath: root.path) }

  static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: root.appending(path: path)))
  }

  /// A JWS without the line feed at the end of its file.
  static func jws(_ path: String) throws -> [UInt8] {
    let bytes = try bytes(path)
    return bytes.last == UInt8(ascii: "\n") ? Array(bytes.dropLast()) : bytes
  }
}

@Suite(
  "The test data of public libraries",
  .enabled(if: PublicData.isThere, "skipped: there is no ../shared/fixtures beside the package"))
struct PublicDataTests {
  private let now = SigningSamples.now

  private func verifier(
    _ bundleID: String, _ environments: Set<StoreEnvironment>, roots: TrustedRoots,
    pinned: Set<CertificateFingerprint> = []
  ) -> SignedDataVerifier {
    SignedDataVerifier(
      app: ExpectedApp(bundleID: bundleID, appAppleID: 1_234, environments: environments),
      roots: roots, pinned: pinned)
  }

  @Test("has a notification that Apple signed in 2022 with a certificate that expired in 2023")
  func signedByApple() throws {
    let file = try PublicData.bytes(
      "imdhemy+appstore-iap/tests/fixtures/payloads/test-notification-signed-payload.json")
    let text = try #require(try JSONValue(document: file)["signedPayload"]?.string)
    let apple = verifier("com.Abilities", [.sandbox], roots: .apple)
    let data = try apple.verify(Array(text.utf8), as: .notification, at: now)
    #expect(data.signedAt.rfc3339 == "2022-09-02T12:41:32.884Z")
    #expect(data.certificates[0].notAfter.rfc3339 == "2023-09-24T02:50:33Z")
    #expect(data.certificates[2].fingerprint == TrustedRoots.apple.certificates[0].fingerprint)
    #expect(data.content["notificationType"]?.string == "TEST")
    expectRefusal(.otherEnvironment) {
      try verifier("com.Abilities", [.production], roots: .apple).verify(Array(text.utf8), at: now)
    }
    expectRefusal(.otherApp) {
      try verifier("com.abilities", [.sandbox], roots: .apple).verify(Array(text.utf8), at: now)
    }
    // The root in the file of another library is the one that ships here.
    let root = try PublicData.bytes("imdhemy+appstore-iap/AppleRootCA-G3.cer")
    let ours = TrustedRoots.apple.certificates.prefix(1)
    #expect(try TrustedRoots(file: root).certificates == Array(ours))
  }

  @Test("has what Apple's library verifies under its test root") func appleLibrary() throws {
    let roots = try TrustedRoots(file: PublicData.bytes("\(PublicData.apple)/certs/testCA.der"))
    let ours = verifier("com.example", [.sandbox], roots: roots)
    func jws(_ name: String) throws -> [UInt8] {
      try PublicData.jws("\(PublicData.apple)/mock_signed_data/\(name)")
    }
    let notification = try ours.verify(try jws("testNotification"), at: now)
    #expect(notification.kind == .notification)
    #expect(notification.signedAt.rfc3339 == "2023-04-12T15:45:24Z")
    _ = try ours.verify(try jws("transactionInfo"), as: .transaction, at: now)
    _ = try ours.verify(try jws("renewalInfo"), as: .renewal, ofApp: "com.example", at: now)
    expectRefusal(.appNotStated) {
      try ours.verify(try jws("renewalInfo"), as: .renewal, at: now)
    }
    expectRefusal(.malformed) { try ours.verify(try jws("missingX5CHeaderClaim"), at: now) }
    expectRefusal(.otherApp) { try ours.verify(try jws("wrongBundleId"), at: now) }
    expectRefusal(.malformed) { try ours.verify(try jws("legacyTransaction"), at: now) }
    expectRefusal(.untrustedRoot, .root) {
      try verifier("com.example", [.sandbox], roots: .apple)
        .verify(try jws("testNotification"), at: now)
    }
  }

  @Test("has certificates that must not sign") func wrongCertificates() throws {
    func certificate(_ name: String) throws -> [UInt8] {
      let text = String(
        decoding: try PublicData.bytes("\(PublicData.apple)/certs/\(name).pem"), as: UTF8.self)
      let start = try #require(text.range(of: "-----BEGIN"))
      return try TrustedRoots(file: Array(text[start.lowerBound...].utf8)).roots[0].der
    }
    let roots = try TrustedRoots(file: PublicData.bytes("\(PublicData.apple)/certs/testCA.der"))
    let (leaf, intermediate) = ("testLeaf", "testIntermediate")
    func chain(_ names: [String]) throws -> SigningChain {
      try SigningChain(try names.map(certificate), roots: roots, pinned: [])
    }
    try chain([leaf, intermediate, "testCA"])
      .check(at: SigningSamples.instant("2024-01-01T00:00:00Z"))
    expectRefusal(.wrongPurpose, .leaf) {
      try chain(["testInvalidOIDLeaf", intermediate, "testCA"])
    }
    #expect(throws: SignedDataError.self) {
      try chain([leaf, "testInvalidOIDIntermediate", "testCA"])
    }
    expectRefusal(.wrongPurpose, .intermediate) {
      try chain(["testInvalidIntermediateLeaf", "testInvalidOIDIntermediate", "testCA"])
    }
  }

  @Test("has what Xcode signed, believed for its pinned certificate alone") func xcode() throws {
    let bundleID = "com.example.naturelab.backyardbirds.example"
    let pin = try #require(
      CertificateFingerprint("16c47dfe09825de02ac3fa40126ee5f81747941955fbc18a7696a6246a733c7a"))
    for (name, kind) in [
      ("xcode-signed-transaction", SignedDataKind.transaction),
      ("xcode-signed-renewal-info", .renewal), ("xcode-signed-app-transaction", .appTransaction),
    ] {
      let text = try PublicData.jws("\(PublicData.apple)/xcode/\(name)")
      let pinned = verifier(bundleID, [.xcode], roots: .apple, pinned: [pin])
      let data = try pinned.verify(text, ofApp: bundleID, at: now)
      #expect(data.kind == kind)
      #expect(data.isLocal)
      #expect(data.environment == .xcode)
      expectRefusal(.unpinnedCertificate, .local) {
        try verifier(bundleID, [.xcode], roots: .apple).verify(text, ofApp: bundleID, at: now)
      }
    }
  }
}
