import Foundation
import LedgerEvents
import SignedDataSamples
import SignedStoreData
import Testing

@testable import StoreImport

@Suite("An import of signed texts") struct VerifiedImportTests {
  private let samples: SigningSamples
  private let trust: SignatureTrust

  init() throws {
    samples = try SigningSamples()
    trust = .verified(try samples.verifier(), at: SigningSamples.now)
  }

  private func jws(_ payload: String) throws -> String {
    String(decoding: try samples.jws(payload), as: UTF8.self)
  }

  private func notification() throws -> String {
    try jws(
      Signed.notification(
        "DID_RENEW", transaction: "\"\(jws(Signed.transaction(id: "2", at: 0)))\"",
        renewal: "\"\(jws(Signed.renewal()))\""))
  }

  @Test("verifies each, whatever it is wrapped in, and says so") func verified() throws {
    let text = try notification()
    let expected = try signedEvents(text, trust: trust)
    #expect(expected.of(.subscriptionRenewed).map(\.id) == ["u1"])
    #expect(expected.of(.subscriptionAutoRenewChanged).count == 1)
    #expect(expected.first?.data.boolean("verified") == true)
    #expect(expected.first?.environment == .production)
    for wrapped in [
      #"{"signedPayload":"\#(text)"}"#, "[\"\(text)\"]", text + "\n",
      "{\n\"signedPayload\":\n\"\(text)\"}",
      #"[{"signedPayload":"\#(text)"}]"#,
    ] {
      let events = try signedEvents(wrapped, trust: trust)
      #expect(events.dropFirst().map(\.id) == expected.dropFirst().map(\.id))
    }
    let lines = try signedEvents("\(text)\n{\"signedPayload\":\"\(text)\"}\n", trust: trust)
    #expect(lines.dropFirst().map(\.id) == expected.dropFirst().map(\.id))
  }

  @Test("is refused as a whole with the file, the line and the check that failed") func refused()
    throws
  {
    let good = try notification()
    let forged = String(
      decoding: SigningSamples.changed(Array(good.utf8), at: good.utf8.count - 9), as: UTF8.self)
    let error = try #require(signedRefusal("\(good)\n\(forged)", trust: trust))
    #expect(error.code == .notBelieved)
    #expect(error.file == "file.json" && error.path == "line 2")
    #expect(error.description.contains("badSignature"), "\(error)")
    let inner = try #require(
      signedRefusal(
        try jws(
          Signed.notification(
            "DID_RENEW",
            transaction: "\"\(jws(Signed.transaction(environment: "Sandbox")))\"")),
        trust: trust))
    #expect(inner.path == "data.signedTransactionInfo", "\(inner)")
    let other = SignatureTrust.verified(
      SignedDataVerifier(
        app: ExpectedApp(bundleID: "com.example.other", environments: [.production]),
        roots: try samples.roots), at: SigningSamples.now)
    #expect(signedRefusal(good, trust: other)?.description.contains("otherApp") == true)
    let apple = SignatureTrust.verified(
      SignedDataVerifier(app: try samples.verifier().app), at: SigningSamples.now)
    #expect(signedRefusal(good, trust: apple)?.description.contains("untrustedRoot") == true)
    #expect(signedRefusal(good)?.description.contains("--app") == true)
    #expect(signedRefusal(good, as: .transaction, trust: trust)?.code == .notBelieved)
  }

  @Test("that nobody verified, or of decoded JSON, says so") func unverified() throws {
    let good = try notification()
    let unverified = try signedEvents(good, trust: .unverified)
    let verified = try signedEvents(good, trust: trust)
    #expect(unverified.first?.data.boolean("verified") == false)
    #expect(unverified.count == verified.count)
    let events = zip(
      unverified.dropFirst().sorted { $0.type.text < $1.type.text },
      verified.dropFirst().sorted { $0.type.text < $1.type.text })
    for (left, right) in events {
      // An id is the notification's own, or says that nobody verified the content.
      #expect((left.id == right.id) == (left.source == EventSource(.notification)))
      #expect(left.data.boolean("verified") == false && right.data["verified"] == nil)
      var left = left
      left.id = right.id
      left.data.members.removeAll { $0.name == "verified" }
      #expect(left.sameContent(as: right))
    }
    #expect(try signedEvents(Signed.notification("TEST")).first?.data.boolean("verified") == false)
    let mixed = "\(good)\n\(Signed.notification("TEST", uuid: "u2"))"
    #expect(signedRefusal(mixed, trust: trust)?.path == "line 2")
    #expect(signedRefusal(mixed, trust: trust)?.code == .notBelieved)
    #expect(signedRefusal("eyJub3.nothing", trust: .unverified)?.code == .malformed)
  }

  @Test("of Xcode is believed for a pinned certificate alone") func xcode() throws {
    let local = try SigningSamples.local()
    let text = String(
      decoding: try local.jws(Signed.transaction(environment: "Xcode")), as: UTF8.self)
    let pin = CertificateFingerprint(ofDER: local.der[0])
    let environments: Set<StoreEnvironment> = [.production, .xcode]
    func trust(_ pinned: Set<CertificateFingerprint>) throws -> SignatureTrust {
      .verified(
        try samples.verifier(environments: environments, pinned: pinned), at: SigningSamples.now)
    }
    let events = try signedEvents(text, as: .transaction, trust: trust([pin]))
    #expect(events.of(.transactionPurchased).map(\.environment) == [.xcode])
    let error = try #require(signedRefusal(text, as: .transaction, trust: try trust([])))
    #expect(error.description.contains("\(pin)"), "\(error)")
  }
}

@Suite(
  "Signed data of public libraries",
  .enabled(if: StoreFiles.hasFixtures, "skipped: no ../shared/fixtures beside the package"))
struct PublicSignedDataTests {
  private static let apple = "apple+app-store-server-library-java/src/test/resources"

  private func text(_ path: String) throws -> String {
    String(decoding: try StoreFiles.fixture("\(Self.apple)/\(path)"), as: UTF8.self)
  }

  @Test("a notification that Apple signed is imported, verified") func signedByApple() throws {
    let file = try StoreFiles.fixture(
      "imdhemy+appstore-iap/tests/fixtures/payloads/test-notification-signed-payload.json")
    let verifier = SignedDataVerifier(
      app: ExpectedApp(bundleID: "com.Abilities", environments: [.sandbox]))
    let events = try signedEvents(
      String(decoding: file, as: UTF8.self),
      trust: .verified(verifier, at: SigningSamples.now))
    #expect(events.count == 2)
    #expect(events.first?.data.boolean("verified") == true)
    #expect(events.last?.data.string("notificationType") == "TEST")
    #expect(events.last?.environment == .sandbox)
    #expect(events.last?.occurredAt.rfc3339 == "2022-09-02T12:41:32.884Z")
  }

  @Test("decoded samples become what they say") func decoded() throws {
    let transaction = try signedEvents(
      try text("models/signedTransactionWithRevocation.json"), as: .transaction)
    let refunded = try #require(transaction.of(.transactionRefunded).first)
    #expect(refunded.data.numberText("percent") == "50")
    #expect(refunded.occurredAt.rfc3339 == "2023-10-24T12:02:30Z")
    let bought = try #require(
      transaction.of(.subscriptionRenewed).first { $0.data["isUpgraded"] == nil })
    #expect(bought.data.string("price") == "10.99" && bought.environment == .localTesting)
    #expect(transaction.of(.transactionAssigned).count == 1)
    let renewal = try signedEvents(try text("models/signedRenewalInfo.json"), as: .renewal)
    #expect(renewal.of(.subscriptionAutoRenewChanged).count == 1)
    let notifications = [
      "signedNotification", "signedSummaryNotification", "signedConsumptionRequestNotification",
      "signedExternalPurchaseTokenNotification", "signedExternalPurchaseTokenSandboxNotification",
      "signedRescindConsentNotification",
    ]
    for name in notifications {
      let events = try signedEvents(try text("models/\(name).json"))
      #expect(
        events.of(.notificationReceived).map(\.id) == ["002e14d5-51f5-4503-b5a8-c3a1af68eb20"])
    }
    let app = try signedEvents(try text("models/appTransaction.json"), as: .appTransaction)
    #expect(app.of(.receiptSubmitted).count == 1)
  }

  @Test("what Xcode signed is read, and verified for their pinned certificates") func xcode() throws
  {
    let bundleID = "com.example.naturelab.backyardbirds.example"
    let formats: [(String, ImportFormat, EventKind)] = [
      ("transaction", .transaction, .transactionPurchased),
      ("renewal-info", .renewal, .subscriptionAutoRenewChanged),
      ("app-transaction", .appTransaction, .receiptAccepted),
    ]
    for (name, format, kind) in formats {
      let file = try text("xcode/xcode-signed-\(name)")
      let app = ExpectedApp(bundleID: bundleID, environments: [.xcode])
      let refusal = try #require(
        signedRefusal(
          file, as: format,
          trust: .verified(SignedDataVerifier(app: app), at: SigningSamples.now)))
      let digits = try #require(refusal.reason.firstMatch(of: /[0-9a-f]{64}/)).output
      let pin = try #require(CertificateFingerprint(String(digits)))
      let events = try signedEvents(
        file, as: format,
        trust: .verified(SignedDataVerifier(app: app, pinned: [pin]), at: SigningSamples.now))
      #expect(events.of(kind).count == 1)
      #expect(events.of(kind).first?.environment == .xcode)
    }
  }
}
