import Foundation
import LedgerEvents
import SignedDataSamples
import Testing

@testable import SignedStoreData

@Suite(
  "The receipts of public libraries",
  .enabled(if: PublicData.isThere, "skipped: there is no ../shared/fixtures beside the package"))
struct ReceiptPublicDataTests {
  private let now = SigningSamples.now

  private func verify(
    _ path: String, _ bundleID: String, _ environment: StoreEnvironment,
    pinned: Set<CertificateFingerprint> = []
  ) throws -> VerifiedReceipt {
    let app = ExpectedApp(bundleID: bundleID, environments: [environment])
    return try SignedDataVerifier(app: app, pinned: pinned)
      .verify(receipt: try PublicData.bytes(path), at: now)
  }

  @Test("are verified that Apple signed with SHA-1, at the time of each")
  func signedByApple() throws {
    let recorded = "linjunpop+receipt_verifier/test/fixtures/receipts"
    let revenueCat = "RevenueCat+purchases-ios/Tests/UnitTests/Resources/receipts"
    let files: [(String, String, StoreEnvironment, String, Int)] = [
      ("\(recorded)/receipt", "com.sumiapp.GridDiary", .sandbox, "2014-09-02T03:29:06Z", 2),
      (
        "\(recorded)/auto_renewable_receipt", "com.sumiapp.GridDiary", .sandbox,
        "2016-11-09T07:29:53Z", 15
      ),
      ("\(recorded)/gridnote", "io.sumi.GridNote", .sandbox, "2017-06-16T06:01:55Z", 7),
      (
        "\(recorded)/griddiary_production", "com.sumiapp.GridDiary", .production,
        "2017-07-11T07:14:37Z", 3
      ),
      (
        "\(revenueCat)/base64encodedreceiptsample1.txt", "com.revenuecat.sampleapp", .sandbox,
        "2020-07-22T17:39:08Z", 9
      ),
    ]
    for (path, bundleID, environment, createdAt, count) in files {
      let verified = try verify(path, bundleID, environment)
      #expect(verified.createdAt.rfc3339 == createdAt)
      #expect(verified.receipt.purchases.count == count)
      #expect(verified.certificates.map(\.role) == [.leaf, .intermediate, .root])
      #expect(verified.certificates[2] == TrustedRoots.apple.certificates[1])
      expectRefusal(.otherApp) { try verify(path, "com.example.other", environment) }
      let other: StoreEnvironment = environment == .sandbox ? .production : .sandbox
      expectRefusal(.otherEnvironment) { try verify(path, bundleID, other) }
    }
  }

  @Test("are refused if one byte of what Apple signed is another") func changed() throws {
    let path = "linjunpop+receipt_verifier/test/fixtures/receipts/griddiary_production"
    let text = try PublicData.bytes(path).filter { $0 != UInt8(ascii: "\n") }
    let der = Array(try #require(Data(base64Encoded: Data(text))))
    let app = ExpectedApp(bundleID: "com.sumiapp.GridDiary", environments: [.production])
    let verifier = SignedDataVerifier(app: app)
    let content = try SignedReceipt(der).content
    #expect(try verifier.verify(receipt: der, at: now).receipt.purchases.count == 3)
    let start = try #require(der.firstRange(of: content)?.lowerBound)
    for index in stride(from: start, to: start + content.count, by: 7) {
      var changed = der
      changed[index] ^= 1
      expectRefusal(.badSignature, .leaf) { try verifier.verify(receipt: changed, at: now) }
    }
  }

  @Test("of Xcode are believed for its pinned certificate alone") func xcode() throws {
    let bundleID = "com.example.naturelab.backyardbirds.example"
    let pin = try #require(
      CertificateFingerprint("ff0ba36e721d2db741d2aa11e6112ef78bf7131b46c7f035b00891d045c864fe"))
    for (name, purchases) in [("empty", 0), ("with-transaction", 1)] {
      let path = "\(PublicData.apple)/xcode/xcode-app-receipt-\(name)"
      let verified = try verify(path, bundleID, .xcode, pinned: [pin])
      #expect(verified.isLocal)
      #expect(verified.environment == .xcode)
      #expect(verified.receipt.purchases.count == purchases)
      #expect(verified.receipt.expiresAt?.rfc3339 == "4001-01-01T00:00:00Z")
      expectRefusal(.unpinnedCertificate, .local) { try verify(path, bundleID, .xcode) }
      expectRefusal(.otherEnvironment) {
        try verify(path, bundleID, .production, pinned: [pin])
      }
    }
  }
}
