import Foundation
import LedgerEvents
import LedgerImport
import LedgerQueries
import SignedDataSamples
import SignedStoreData
import StoreImport
import Testing

/// Bodies of requests as the store sends them, signed under a root of the tests. Times are seconds
/// after the start of a subscription of 1,000 seconds.
struct StoreNotifications {
  let samples: SigningSamples

  init(_ samples: SigningSamples? = nil) throws { self.samples = try samples ?? SigningSamples() }

  static func milliseconds(_ seconds: Int64) -> Int64 {
    SigningSamples.milliseconds(SigningSamples.signedAt) + seconds * 1_000
  }

  static func instant(_ seconds: Int64) -> Instant {
    Instant(microseconds: milliseconds(seconds) * 1_000)
  }

  /// An intake that believes these samples, for the shop and no other app.
  func intake(
    roots: TrustedRoots? = nil, pinned: Set<CertificateFingerprint> = []
  ) throws -> NotificationIntake {
    NotificationIntake(
      apps: [
        NotificationApp(
          bundleID: SigningSamples.bundleID, appAppleID: SigningSamples.appAppleID)
      ], roots: try roots ?? samples.roots, pinned: pinned, clock: { SigningSamples.now })
  }

  func text(_ payload: String) throws -> String {
    String(decoding: try samples.jws(payload), as: UTF8.self)
  }

  func body(signing payload: String) throws -> [UInt8] {
    Array(#"{"signedPayload":"\#(try text(payload))"}"#.utf8)
  }

  /// A period of the subscription `plus`, decoded.
  static func period(
    _ number: Int64 = 0, account: String? = "ada", signed: Int64 = 0,
    bundleID: String = SigningSamples.bundleID, environment: String = "Production"
  ) -> String {
    #"{"transactionId":"\#(number + 1)","originalTransactionId":"1","productId":"plus","#
      + #""bundleId":"\#(bundleID)","environment":"\#(environment)","quantity":1,"#
      + #""purchaseDate":\#(milliseconds(number * 1_000)),"#
      + #""originalPurchaseDate":\#(milliseconds(0)),"#
      + #""expiresDate":\#(milliseconds(number * 1_000 + 1_000)),"#
      + (account.map { #""appAccountToken":"\#($0)","# } ?? "")
      + #""price":2990,"currency":"EUR","signedDate":\#(milliseconds(signed))}"#
  }

  /// A notification, signed with what it carries.
  ///
  /// - Parameters:
  ///   - transaction: The decoded transaction in it.
  ///   - autoRenew: What the renewal info in it states; nil for none.
  func body(
    _ type: String, _ subtype: String? = nil, uuid: String, signed: Int64 = 0,
    transaction: String? = nil, autoRenew: Bool? = nil,
    bundleID: String = SigningSamples.bundleID,
    appAppleID: Int64? = SigningSamples.appAppleID, environment: String = "Production"
  ) throws -> [UInt8] {
    let renewal = autoRenew.map { isOn in
      #"{"originalTransactionId":"1","productId":"plus","autoRenewProductId":"plus","#
        + #""autoRenewStatus":\#(isOn ? 1 : 0),"environment":"\#(environment)","#
        + #""signedDate":\#(Self.milliseconds(signed))}"#
    }
    let carried =
      (try transaction.map { #","signedTransactionInfo":"\#(try text($0))""# } ?? "")
      + (try renewal.map { #","signedRenewalInfo":"\#(try text($0))""# } ?? "")
    let part = SigningSamples.data(
      bundleID: bundleID, appAppleID: appAppleID, environment: environment, more: carried)
    return try body(
      signing: #"{"notificationType":"\#(type)","#
        + (subtype.map { #""subtype":"\#($0)","# } ?? "")
        + #""notificationUUID":"\#(uuid)","version":"2.0","#
        + #""signedDate":\#(Self.milliseconds(signed)),"# + part + "}")
  }

  /// The second period, as its renewal is announced.
  func renewal(uuid: String = "renewal", signed: Int64 = 1_000) throws -> [UInt8] {
    try body(
      "DID_RENEW", uuid: uuid, signed: signed,
      transaction: Self.period(1, signed: signed), autoRenew: true)
  }

  /// The first period.
  func purchase(uuid: String = "purchase") throws -> [UInt8] {
    try body("SUBSCRIBED", "INITIAL_BUY", uuid: uuid, transaction: Self.period(), autoRenew: true)
  }

  /// The end of automatic renewal in the first period, with the purchase in it.
  func cancellation(uuid: String = "cancellation", signed: Int64 = 500) throws -> [UInt8] {
    try body(
      "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", uuid: uuid, signed: signed,
      transaction: Self.period(signed: signed), autoRenew: false)
  }

  /// A file with a body, as `daybook import notification` reads it.
  func file(_ body: [UInt8], for ledger: Ledger) throws -> any PurchaseImport {
    try PurchaseReader(
      format: .notification, trust: .verified(try verifier(), at: SigningSamples.now)
    ).read(
      body,
      options: ImportOptions(
        fileName: "received/notification.json", digestKey: try ledger.importDigestKey(),
        app: Name(SigningSamples.bundleID)))
  }

  private func verifier() throws -> SignedDataVerifier {
    try samples.verifier(environments: [.production, .sandbox])
  }
}

extension Ledger {
  /// All events, by position.
  func everything() throws(LedgerError) -> [Event] {
    try read { (view) throws(LedgerError) in
      var events: [Event] = []
      var position: UInt64 = 1
      while position <= view.position {
        events.append(try view.event(at: position).event)
        position += 1
      }
      return events
    }
  }

  /// The transactions of the facts about purchases and periods, as often as they are stated.
  func purchases() throws(LedgerError) -> [Name] {
    let kinds: [EventKind] = [.transactionPurchased, .subscriptionRenewed, .transactionRestored]
    return try everything().filter { kinds.contains($0.type.kind) }.compactMap(\.transaction)
      .sorted()
  }
}

extension Ledger {
  /// What the customer of the notifications has in the second period.
  func secondPeriod() throws(LedgerError) -> [EntitlementsAnswer.Entry] {
    try read { (view) throws(LedgerError) in
      try view.entitlements(
        of: .account("ada"), clocks: Clocks(at: StoreNotifications.instant(1_500)),
        now: SigningSamples.now
      ).entries
    }
  }
}

/// Returns the event of a line of JSON.
func event(_ line: String) throws -> Event {
  try EventDecoder().decode(line: Array(line.utf8)).event
}

/// Returns why a body is not taken.
func refusal(
  _ intake: NotificationIntake, _ body: [UInt8], into ledger: Ledger
) -> IntakeRefusal? {
  do throws(IntakeRefusal) {
    _ = try intake.takeAndWait(body, into: ledger)
    return nil
  } catch { return error }
}

extension IntakeRefusal {
  /// The kind as a word, for comparisons.
  var word: String {
    switch kind {
    case .unreadable: "unreadable"
    case .untrusted: "untrusted"
    case .otherApp: "otherApp"
    case .contradiction: "contradiction"
    case .tryAgain: "tryAgain"
    }
  }
}
