import Foundation
import LedgerImport
import LedgerTesting
import SignedDataSamples
import SignedStoreData
import Testing

@Suite("A body that is refused") struct RefusedNotificationTests {
  private let store: StoreNotifications
  private let intake: NotificationIntake
  private let temporary: TemporaryLedger

  init() throws {
    store = try StoreNotifications()
    intake = try store.intake()
    temporary = try TemporaryLedger()
  }

  /// Expects a refusal of which the store need not hear again, and nothing in the ledger.
  private func expect(
    _ kind: String, _ check: String, _ words: String..., of body: [UInt8],
    _ intake: NotificationIntake? = nil, location: SourceLocation = #_sourceLocation
  ) throws {
    let refused = try #require(
      refusal(intake ?? self.intake, body, into: temporary.ledger), sourceLocation: location)
    #expect(refused.word == kind && refused.check == check, "\(refused)", sourceLocation: location)
    #expect(!refused.shouldRetry, sourceLocation: location)
    for word in words {
      #expect(refused.message.contains(word), "\(refused)", sourceLocation: location)
    }
    #expect(try temporary.ledger.everything().isEmpty, sourceLocation: location)
  }

  @Test("is of an app that is not in the table, if the store signed it") func otherApp() throws {
    let other = "com.example.other"
    let body = try store.body(
      "DID_RENEW", uuid: "u", transaction: StoreNotifications.period(bundleID: other),
      bundleID: other, appAppleID: 5)
    try expect("otherApp", "otherApp", other, "table of apps", of: body)
    // The same words that nobody signed are a forgery.
    try expect("untrusted", "badSignature", of: SigningSamples.changed(body, at: body.count - 9))
    try expect(
      "otherApp", "otherApp", "Apple ID", "5",
      of: try store.body("TEST", uuid: "u", appAppleID: 5))
    let unnumbered = NotificationIntake(
      apps: [NotificationApp(bundleID: SigningSamples.bundleID)], roots: try store.samples.roots,
      clock: { SigningSamples.now })
    try expect(
      "otherApp", "appNotStated", "Apple ID", of: try store.body("TEST", uuid: "u"), unnumbered)
    // What it carries must be for its own app.
    try expect(
      "untrusted", "otherApp", "data.signedTransactionInfo",
      of: try store.body(
        "DID_RENEW", uuid: "u", transaction: StoreNotifications.period(bundleID: other)))
  }

  @Test("is forged: changed, or signed by somebody else, or by a certificate for something else")
  func forged() throws {
    let good = try store.renewal()
    try expect(
      "untrusted", "badSignature", "badSignature",
      of: SigningSamples.changed(good, at: good.count - 9))
    try expect("untrusted", "untrustedRoot", of: good, try store.intake(roots: .apple))
    var recipe = ChainRecipe()
    recipe.leafMark = nil
    try expect(
      "untrusted", "wrongPurpose", of: try StoreNotifications(SigningSamples(recipe)).renewal())
    // A transaction inside that somebody else signed.
    var other = ChainRecipe()
    other.rootKeyName = "another root"
    other.intermediateSigner = "another root"
    let stranger = try StoreNotifications(SigningSamples(other))
    let carried = try stranger.text(StoreNotifications.period(1))
    let payload = SigningSamples.notification(
      SigningSamples.data(more: #","signedTransactionInfo":"\#(carried)""#))
    try expect(
      "untrusted", "untrustedRoot", "data.signedTransactionInfo",
      of: try store.body(signing: payload))
    let future = NotificationIntake(
      apps: [
        NotificationApp(
          bundleID: SigningSamples.bundleID, appAppleID: SigningSamples.appAppleID)
      ], roots: try store.samples.roots,
      clock: { SigningSamples.instant("2023-05-01T00:00:00Z") })
    try expect("untrusted", "signedInFuture", of: good, future)
  }

  @Test("is no notification") func garbage() throws {
    for (text, check, words) in [
      ("", "malformed", "not JSON"), ("{", "malformed", "line 1"),
      ("\u{0}\u{FF}", "malformed", "not JSON"),
      ("[]", "otherFormat", "signedPayload"), ("{}", "otherFormat", "signedPayload"),
      (#"{"signedPayload":7}"#, "badValue", "signedPayload"),
      (#"{"signedPayload":"nonsense"}"#, "malformed", "JWS"),
      (#"{"signedPayload":"a.b.c"}"#, "malformed", "base64url"),
      (#"{"notification_type":"DID_RENEW","password":"x"}"#, "otherFormat", "version 1"),
      (
        #"{"notificationType":"TEST","notificationUUID":"u"}"#, "otherFormat", "nobody signed"
      ),
      (#"{"packageName":"a","message":{"data":""}}"#, "otherFormat", "Google Play"),
    ] {
      try expect("unreadable", check, words, of: Array(text.utf8))
    }
    let large = [UInt8](repeating: UInt8(ascii: " "), count: notificationBodyBytesMax + 1)
    try expect("unreadable", "tooLarge", "\(notificationBodyBytesMax)", of: large)
    try expect(
      "unreadable", "otherKind", "transaction",
      of: try store.body(signing: StoreNotifications.period()))
    // Signed, but without what each notification has.
    try expect(
      "unreadable", "missing", "notificationUUID",
      of: try store.body(
        signing: #"{"notificationType":"TEST","signedDate":\#(StoreNotifications.milliseconds(0)),"#
          + SigningSamples.data() + "}"))
  }
}
