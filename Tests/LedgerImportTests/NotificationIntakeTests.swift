import Foundation
import LedgerEvents
import LedgerImport
import LedgerQueries
import LedgerTesting
import SignedDataSamples
import SignedStoreData
import StoreImport
import Testing

@Suite("A notification of the store") struct NotificationIntakeTests {
  private let store: StoreNotifications
  private let intake: NotificationIntake
  private let temporary: TemporaryLedger
  private var ledger: Ledger { temporary.ledger }

  init() throws {
    store = try StoreNotifications()
    intake = try store.intake()
    temporary = try TemporaryLedger()
  }

  @Test("is taken with its facts, and says where they are") func renewal() throws {
    let taken = try intake.takeAndWait(try store.renewal(), into: ledger)
    #expect(taken.notificationUUID == "renewal" && taken.type == "DID_RENEW")
    #expect(taken.subtype == nil && taken.environment == .production)
    #expect(taken.app == Name(SigningSamples.bundleID) && !taken.isOwnerless)
    #expect(taken.knownCount == 0 && taken.warnings.isEmpty)
    let events = try ledger.everything()
    #expect(taken.positions == 1...UInt64(events.count) && taken.appendedCount == events.count)
    #expect(
      Set(events.map(\.type.kind))
        == [
          .importReceived, .subscriptionRenewed, .subscriptionAutoRenewChanged,
          .transactionAssigned,
        ])
    let fact = try #require(events.first { $0.id == "renewal" })
    #expect(fact.type.kind == .subscriptionRenewed && fact.transaction == "2")
    #expect(fact.source == EventSource(.notification))
    #expect(events.contains { $0.type.kind == .transactionAssigned && $0.account == "ada" })
    let received = try #require(events.first)
    #expect(received.data.string("file") == NotificationIntake.fileName)
    #expect(received.data.boolean("verified") == true)
  }

  @Test("again appends nothing, and a copy that the store signed later no fact") func twice() throws
  {
    let body = try store.renewal()
    let first = try intake.takeAndWait(body, into: ledger)
    let again = try intake.takeAndWait(body, into: ledger)
    // Whose the purchase is was known and is not stated again.
    #expect(again.positions == nil && again.knownCount == first.appendedCount - 1)
    #expect(again.notificationUUID == "renewal")
    let copy = try intake.takeAndWait(try store.renewal(signed: 4_600), into: ledger)
    #expect(copy.appendedCount == 1)
    #expect(try ledger.everything().last?.type.kind == .importReceived)
    #expect(try ledger.purchases() == ["2"])
  }

  @Test("gives the events of the same file, before and after it", arguments: [false, true])
  func sameAsFile(_ isFileFirst: Bool) throws {
    for body in [try store.purchase(), try store.cancellation(), try store.renewal()] {
      let before = try ledger.everything().count
      let file = PurchaseIntake(ledger)
      if isFileFirst {
        let results = try file.appendAndWait(try store.file(body, for: ledger), named: "a").results
        let taken = try intake.takeAndWait(body, into: ledger)
        #expect(results[0].appendedCount > 0)
        #expect(taken.positions == nil && taken.knownCount > 1)
      } else {
        let taken = try intake.takeAndWait(body, into: ledger)
        let results = try file.appendAndWait(try store.file(body, for: ledger), named: "a").results
        #expect(taken.appendedCount > 0)
        #expect(results.map(\.appendedCount) == [0])
      }
      #expect(try ledger.everything().count > before)
    }
  }

  @Test("about a purchase that is known from elsewhere credits nothing twice") func otherFile()
    throws
  {
    let history = #"{"signedTransactions":["\#(try store.text(StoreNotifications.period(1)))"]}"#
    let options = ImportOptions(
      fileName: "history.json", digestKey: try ledger.importDigestKey(),
      app: Name(SigningSamples.bundleID))
    let trust = SignatureTrust.verified(try store.samples.verifier(), at: SigningSamples.now)
    let file = try PurchaseReader(format: .history, trust: trust)
      .read(Array(history.utf8), options: options)
    _ = try PurchaseIntake(ledger).appendAndWait(file, named: "history.json")
    #expect(try ledger.purchases() == ["2"])
    let taken = try intake.takeAndWait(
      try store.body(
        "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", uuid: "off", signed: 1_500,
        transaction: StoreNotifications.period(1, signed: 1_500), autoRenew: false), into: ledger)
    #expect(taken.subtype == "AUTO_RENEW_DISABLED" && taken.appendedCount == 2)
    #expect(try ledger.purchases() == ["2"])
  }

  @Test("gives the same answers in every order") func orders() throws {
    let bodies = [try store.purchase(), try store.cancellation(), try store.renewal()]
    var answers: Set<[EntitlementsAnswer.Entry]> = []
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      let temporary = try TemporaryLedger()
      for index in order {
        #expect(try intake.takeAndWait(bodies[index], into: temporary.ledger).appendedCount > 0)
      }
      answers.insert(try temporary.ledger.secondPeriod())
    }
    #expect(answers.count == 1)
    #expect(answers.first?.map(\.product) == ["plus"])
  }

  @Test("of a test is kept, without a purchase") func test() throws {
    let taken = try intake.takeAndWait(
      try store.body("TEST", uuid: "test", appAppleID: nil, environment: "Sandbox"),
      into: ledger)
    #expect(taken.type == "TEST" && taken.environment == .sandbox && taken.appendedCount == 2)
    let event = try #require(try ledger.everything().last)
    #expect(event.type.kind == .notificationReceived && event.id == "test")
    #expect(event.environment == .sandbox && event.transaction == nil)
  }

  @Test("counts in the environment that is signed, and a local one only if it is pinned")
  func environments() throws {
    for environment in ["Production", "Sandbox"] {
      let taken = try intake.takeAndWait(
        try store.body(
          "ONE_TIME_CHARGE", uuid: environment,
          transaction: StoreNotifications.period(account: nil, environment: environment),
          appAppleID: environment == "Sandbox" ? nil : SigningSamples.appAppleID,
          environment: environment), into: ledger)
      #expect(taken.environment.text == environment.lowercased() && taken.isOwnerless)
    }
    let local = try StoreNotifications(SigningSamples.local())
    let body = try local.body("TEST", uuid: "local", appAppleID: nil, environment: "Xcode")
    let refused = try #require(refusal(intake, body, into: ledger))
    #expect(refused.word == "untrusted" && refused.check == "unpinnedCertificate")
    let fingerprint = CertificateFingerprint(ofDER: local.samples.der[0])
    let pinning = try store.intake(pinned: [fingerprint])
    #expect(try pinning.takeAndWait(body, into: ledger).environment == .xcode)
    // Whoever has that certificate cannot speak for the store.
    let claiming = try local.body("TEST", uuid: "claiming", environment: "Production")
    #expect(refusal(pinning, claiming, into: ledger)?.check == "notLocal")
  }

  @Test("keeps a purchase with its owner, and an erased customer forgotten") func owners() throws {
    _ = try intake.takeAndWait(try store.purchase(), into: ledger)
    let renewal = try store.body(
      "DID_RENEW", uuid: "renewal", signed: 1_000,
      transaction: StoreNotifications.period(1, account: "bob", signed: 1_000))
    let count = try ledger.everything().count
    let refused = try #require(refusal(intake, renewal, into: ledger))
    #expect(refused.word == "contradiction" && refused.check == "ownedByAnother")
    #expect(!refused.shouldRetry && refused.message.contains("transaction"))
    #expect(try ledger.everything().count == count)

    _ = try ledger.erase(
      try event(
        #"{"id":"erased","type":"account.erased","occurredAt":"2024-01-01T00:00:00Z","#
          + #""account":"ada"}"#))
    let later = try intake.takeAndWait(try store.renewal(uuid: "later"), into: ledger)
    #expect(later.appendedCount > 0)
    let events = try ledger.everything().suffix(later.appendedCount)
    #expect(events.allSatisfy { $0.account == nil })
    #expect(
      !events.contains {
        String(decoding: EventEncoder().encode($0), as: UTF8.self).contains("\"ada\"")
      })
  }

  @Test("about something else than the recorded one with its id is refused") func otherContent()
    throws
  {
    _ = try ledger.appendAndWait([
      EventInput(
        event: try event(
          #"{"id":"renewal","type":"transaction.refunded","occurredAt":"2023-06-02T10:00:00Z","#
            + #""transaction":"77","environment":"production"}"#))
    ])
    let refused = try #require(refusal(intake, try store.renewal(), into: ledger))
    #expect(refused.word == "contradiction" && refused.message.contains("renewal"))
    #expect(try ledger.everything().count == 1)
  }

  @Test("with a fact that the ledger has in other words is refused, and not tried for ever")
  func otherWords() throws {
    let body = try store.renewal()
    let outcome = try PurchaseIntake(ledger).outcome(of: try store.file(body, for: ledger))
    let id = try #require(outcome.events.first?.id)
    _ = try ledger.appendAndWait([
      EventInput(
        event: try event(
          #"{"id":"\#(id)","type":"purchase.fulfilled","transaction":"9","#
            + #""occurredAt":"2023-06-02T10:00:00Z"}"#))
    ])
    let refused = try #require(refusal(intake, body, into: ledger))
    #expect(refused.word == "contradiction" && refused.check == "contradiction")
    #expect(refused.message.contains("\(id)") && refused.message.contains("at position 1"))
    #expect(try ledger.everything().count == 1)
  }

  @Test("that the ledger cannot keep now is to be sent again") func ledgerFails() throws {
    let body = try store.renewal()
    try ledger.close()
    #expect(refusal(intake, body, into: ledger)?.check == "closed")
    let reading = try Ledger(at: ledger.path, access: .readOnly)
    let refused = try #require(refusal(intake, body, into: reading))
    guard case .tryAgain(let error) = refused.kind else {
      Issue.record("\(refused)")
      return
    }
    #expect(error.code == .readOnly && refused.shouldRetry && refused.check == "readOnly")
    #expect(refused.message == error.message)
  }

  @Test("of several apps is each counted for its own") func severalApps() throws {
    let other = NotificationApp(bundleID: "com.example.other")
    let intake = NotificationIntake(
      apps: [
        NotificationApp(
          bundleID: SigningSamples.bundleID, appAppleID: SigningSamples.appAppleID), other,
      ], roots: try store.samples.roots, clock: { SigningSamples.now })
    let body = try store.body(
      "TEST", uuid: "other", bundleID: other.bundleID, appAppleID: nil, environment: "Sandbox")
    #expect(try intake.takeAndWait(body, into: ledger).app == "com.example.other")
    #expect(
      try intake.takeAndWait(try store.renewal(), into: ledger).app
        == Name(SigningSamples.bundleID))
    #expect(try ledger.everything().last?.app == Name(SigningSamples.bundleID))
  }
}
