import LedgerEvents
import SignedDataSamples
import Testing

@testable import SignedStoreData

@Suite("A signed payload") struct PayloadTests {
  private let samples: SigningSamples
  private let verifier: SignedDataVerifier

  init() throws {
    samples = try SigningSamples()
    verifier = try samples.verifier()
  }

  private func verify(
    _ payload: String, as kind: SignedDataKind? = nil, ofApp bundleID: String? = nil,
    with other: SignedDataVerifier? = nil
  ) throws -> VerifiedData {
    try (other ?? verifier).verify(
      try samples.jws(payload), as: kind, ofApp: bundleID, at: SigningSamples.now)
  }

  private func appTransaction(
    appAppleID: Int64? = SigningSamples.appAppleID, environment: String = "Production"
  ) -> String {
    "{\"receiptType\":\"\(environment)\",\"bundleId\":\"\(SigningSamples.bundleID)\""
      + (appAppleID.map { ",\"appAppleId\":\($0)" } ?? "")
      + ",\"receiptCreationDate\":\(SigningSamples.milliseconds(SigningSamples.signedAt))}"
  }

  @Test("is of a known kind, which may have to be the expected one") func kinds() throws {
    let payloads: [(SignedDataKind, String)] = [
      (.transaction, SigningSamples.transaction()),
      (.notification, SigningSamples.notification(SigningSamples.data())),
      (.appTransaction, appTransaction()),
      (.renewal, SigningSamples.renewal()),
    ]
    for (kind, payload) in payloads {
      for expected in [nil] + SignedDataKind.allCases.map({ $0 }) {
        if expected == kind || expected == nil {
          #expect(
            try verify(payload, as: expected, ofApp: SigningSamples.bundleID).kind == kind)
        } else {
          expectRefusal(.otherKind) { try verify(payload, as: expected) }
        }
      }
    }
    let time = SigningSamples.milliseconds(SigningSamples.signedAt)
    let bare =
      "{\"bundleId\":\"\(SigningSamples.bundleID)\",\"environment\":\"Production\","
      + "\"signedDate\":\(time)}"
    expectRefusal(.unknownKind) { try verify(bare) }
    #expect(try verify(bare, as: .transaction).kind == .transaction)
  }

  @Test("is about the expected app") func app() throws {
    for other in ["com.example.other", "com.example.Shop", "com.example.shop ", ""] {
      let text = expectRefusal(.otherApp) {
        try verify(SigningSamples.transaction(bundleID: other))
      }
      #expect(text.hasPrefix("expected the app com.example.shop, found \(other)"))
    }
    expectRefusal(.appNotStated) { try verify(SigningSamples.transaction(bundleID: nil)) }
    for value in ["1", "[]", "{}", "true"] {
      expectRefusal(.malformedPayload) {
        try verify(
          SigningSamples.transaction(bundleID: nil, more: ",\"bundleId\":\(value)"))
      }
    }
  }

  @Test("states the number of its app in production, if it is one that does") func number() throws {
    let without = try samples.verifier(environments: [.production, .sandbox], appAppleID: nil)
    _ = try verify(SigningSamples.transaction(), with: without)
    _ = try verify(SigningSamples.transaction())
    expectRefusal(.otherApp) { try verify(SigningSamples.transaction(more: ",\"appAppleId\":5")) }
    _ = try verify(appTransaction())
    expectRefusal(.otherApp) { try verify(appTransaction(appAppleID: 5)) }
    expectRefusal(.appNotStated) { try verify(appTransaction(appAppleID: nil)) }
    let text = expectRefusal(.appNotStated) { try verify(appTransaction(), with: without) }
    #expect(text.contains("and the payload states 1234567890. Give it"))
    let sandbox = try samples.verifier(environments: [.sandbox])
    _ = try verify(appTransaction(appAppleID: 0, environment: "Sandbox"), with: sandbox)
    _ = try verify(appTransaction(appAppleID: nil, environment: "Sandbox"), with: without)
  }

  @Test("is from an expected environment") func environment() throws {
    for other in ["Sandbox", "Xcode", "LocalTesting", "production", "PROD", ""] {
      expectRefusal(.otherEnvironment) {
        try verify(SigningSamples.transaction(environment: other))
      }
    }
    expectRefusal(.environmentNotStated) {
      try verify(SigningSamples.transaction(environment: nil))
    }
    let both = try samples.verifier(environments: [.sandbox, .production])
    for (name, environment) in [
      ("Sandbox", StoreEnvironment.sandbox), ("Production", .production),
    ] {
      let data = try verify(SigningSamples.transaction(environment: name), with: both)
      #expect(data.environment == environment)
    }
    let text = expectRefusal(.otherEnvironment) {
      try verify(SigningSamples.transaction(environment: "Xcode"), with: both)
    }
    #expect(text.hasPrefix("expected the environment Production or Sandbox, found Xcode."))
  }

  @Test("of a renewal info is believed only of an app that something else names") func renewal()
    throws
  {
    expectRefusal(.appNotStated) { try verify(SigningSamples.renewal()) }
    expectRefusal(.otherApp) {
      try verify(SigningSamples.renewal(), ofApp: "com.example.other")
    }
    let data = try verify(SigningSamples.renewal(), ofApp: SigningSamples.bundleID)
    #expect(data.kind == .renewal)
    expectRefusal(.environmentNotStated) {
      try verify(SigningSamples.renewal(environment: nil), ofApp: SigningSamples.bundleID)
    }
    // The app that is named is no way around what a transaction says.
    expectRefusal(.otherApp) {
      try verify(
        SigningSamples.transaction(bundleID: "com.example.other"), ofApp: SigningSamples.bundleID)
    }
  }

  @Test("says when it was signed, also in fractions of milliseconds") func dates() throws {
    func payload(_ date: String) -> String {
      "{\"transactionId\":\"1\",\"bundleId\":\"\(SigningSamples.bundleID)\","
        + "\"environment\":\"Production\"\(date)}"
    }
    for (number, microseconds) in [
      ("1685700000000", 1_685_700_000_000_000), ("1685700000049.7297", 1_685_700_000_049_729),
      ("1685700000000.5", 1_685_700_000_000_500), ("1.6857e12", 1_685_700_000_000_000),
    ] {
      let data = try verify(payload(",\"signedDate\":\(number)"))
      #expect(data.signedAt.microseconds == Int64(microseconds), "\(number)")
    }
    for number in [
      "-1", "-0.5", "1e300", "253402300800000", "9223372036854775807", "1e-400000", "\"1\"", "true",
      "[1]",
    ] where number != "1e-400000" {
      expectRefusal(.malformedPayload, comment: "\(number)") {
        try verify(payload(",\"signedDate\":\(number)"))
      }
    }
    for number in ["0", "-0", "1e-400000", "253402300799999"] {
      #expect(throws: SignedDataError.self, "\(number)") {
        try verify(payload(",\"signedDate\":\(number)"))
      }
    }
    expectRefusal(.noSigningDate) { try verify(payload("")) }
    expectRefusal(.noSigningDate) { try verify(payload(",\"signedDate\":null")) }
  }

  @Test("may say that it was signed a day after it is verified, and not later") func future()
    throws
  {
    let text = try samples.jws(SigningSamples.transaction())
    _ = try verifier.verify(text, at: SigningSamples.instant("2023-06-01T10:00:00Z"))
    let refusal = expectRefusal(.signedInFuture) {
      try verifier.verify(text, at: SigningSamples.instant("2023-06-01T09:59:59.999999Z"))
    }
    #expect(refusal.contains("signed at 2023-06-02T10:00:00Z, and it is verified at 2023-06-01"))
  }
}

@Suite("A signed notification") struct NotificationTests {
  private let samples: SigningSamples
  private let verifier: SignedDataVerifier

  init() throws {
    samples = try SigningSamples()
    verifier = try samples.verifier(environments: [.production, .sandbox])
  }

  private func verify(
    _ part: String, at time: String? = SigningSamples.signedAt
  ) throws -> VerifiedData {
    try verifier.verify(
      try samples.jws(SigningSamples.notification(at: time, part)), as: .notification,
      at: SigningSamples.now)
  }

  private func member(_ name: String, _ payload: String) throws -> String {
    ",\"\(name)\":\"\(String(decoding: try samples.jws(payload), as: UTF8.self))\""
  }

  @Test("states its app in data, in summary, in appData or in a token") func parts() throws {
    for name in ["data", "summary", "appData"] {
      #expect(try verify(SigningSamples.data(name: name)).environment == .production)
      expectRefusal(.otherApp) { try verify(SigningSamples.data(bundleID: "other", name: name)) }
      expectRefusal(.otherApp) { try verify(SigningSamples.data(appAppleID: 5, name: name)) }
      expectRefusal(.appNotStated) {
        try verify(SigningSamples.data(appAppleID: nil, name: name))
      }
      expectRefusal(.appNotStated) { try verify(SigningSamples.data(bundleID: nil, name: name)) }
      expectRefusal(.otherEnvironment) {
        try verify(SigningSamples.data(environment: "Xcode", name: name))
      }
      let sandbox = SigningSamples.data(appAppleID: nil, environment: "Sandbox", name: name)
      #expect(try verify(sandbox).environment == .sandbox)
    }
    func token(_ identifier: String, _ number: Int64) -> String {
      "\"externalPurchaseToken\":{\"externalPurchaseId\":\"\(identifier)\","
        + "\"bundleId\":\"\(SigningSamples.bundleID)\",\"appAppleId\":\(number)}"
    }
    #expect(try verify(token("b2", SigningSamples.appAppleID)).environment == .production)
    #expect(try verify(token("SANDBOX_b2", 5)).environment == .sandbox)
    expectRefusal(.otherApp) { try verify(token("b2", 5)) }
    expectRefusal(.appNotStated) { try verify("\"other\":{}") }
    expectRefusal(.malformedPayload) { try verify("\"data\":[]") }
    expectRefusal(.contradiction) {
      try verify(
        SigningSamples.data() + "," + SigningSamples.data(environment: "Sandbox", name: "summary"))
    }
    expectRefusal(.otherApp) {
      try verify(
        SigningSamples.data() + "," + SigningSamples.data(bundleID: "other", name: "summary"))
    }
  }

  @Test("is verified with what is in it") func nested() throws {
    let more =
      try member("signedTransactionInfo", SigningSamples.transaction())
      + member("signedRenewalInfo", SigningSamples.renewal())
    let data = try verify(SigningSamples.data(more: more))
    #expect(data.nested.map(\.path) == ["data.signedTransactionInfo", "data.signedRenewalInfo"])
    #expect(data.nested.map(\.data.kind) == [.transaction, .renewal])
    #expect(data.nested.allSatisfy { $0.data.bundleID == SigningSamples.bundleID })
    #expect(verifier.rememberedChainCount == 1)
    let app = try member(
      "signedAppTransactionInfo",
      "{\"receiptType\":\"Production\",\"bundleId\":\"\(SigningSamples.bundleID)\","
        + "\"appAppleId\":\(SigningSamples.appAppleID),\"receiptCreationDate\":1685700000000}")
    let consent = try verify(SigningSamples.data(name: "appData", more: app))
    #expect(consent.nested.map(\.path) == ["appData.signedAppTransactionInfo"])
    // Members of another part are left alone.
    #expect(try verify(SigningSamples.data(name: "summary", more: app)).nested.isEmpty)
  }

  @Test("is refused for what is in it, with the place") func refusedNested() throws {
    func expect(
      _ code: SignedDataError.Code, of certificate: CertificateRole? = nil, _ name: String,
      _ payload: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let more = try member(name, payload)
      expectRefusal(code, certificate, at: "data.\(name)", sourceLocation: sourceLocation) {
        try verify(SigningSamples.data(more: more))
      }
    }
    let (transaction, renewal) = ("signedTransactionInfo", "signedRenewalInfo")
    try expect(.otherApp, transaction, SigningSamples.transaction(bundleID: "other"))
    try expect(.appNotStated, transaction, SigningSamples.transaction(bundleID: nil))
    try expect(.contradiction, transaction, SigningSamples.transaction(environment: "Sandbox"))
    try expect(.contradiction, renewal, SigningSamples.renewal(environment: "Sandbox"))
    try expect(.contradiction, renewal, SigningSamples.renewal(environment: "production"))
    try expect(.otherKind, renewal, SigningSamples.transaction())
    try expect(.otherKind, transaction, SigningSamples.renewal())
    try expect(
      .expired, of: .leaf, transaction, SigningSamples.transaction(at: "2025-01-01T00:00:00Z"))
    try expect(.signedInFuture, renewal, SigningSamples.renewal(at: "2027-01-01T00:00:00Z"))
    for text in ["", "a.b.c", "value"] {
      expectRefusal(.malformed, at: "data.signedTransactionInfo") {
        try verify(SigningSamples.data(more: ",\"signedTransactionInfo\":\"\(text)\""))
      }
    }
    expectRefusal(.malformedPayload) {
      try verify(SigningSamples.data(more: ",\"signedTransactionInfo\":{}"))
    }
    let signed = try samples.jws(SigningSamples.renewal())
    let changed = SigningSamples.changed(signed, at: signed.count - 20)
    let text = String(decoding: changed, as: UTF8.self)
    let message = expectRefusal(.badSignature, .leaf, at: "data.signedRenewalInfo") {
      try verify(SigningSamples.data(more: ",\"signedRenewalInfo\":\"\(text)\""))
    }
    #expect(message.hasPrefix("data.signedRenewalInfo: the signature is not that of"))
  }

  @Test("of 2021 states neither its time nor the environment of what is in it") func early() throws
  {
    let more = try member("signedTransactionInfo", SigningSamples.transaction(environment: nil))
    let data = try verify(SigningSamples.data(more: more), at: nil)
    #expect(data.signedAt == SigningSamples.instant(SigningSamples.signedAt))
    #expect(data.nested.first?.data.environment == .production)
    expectRefusal(.noSigningDate) { try verify(SigningSamples.data(), at: nil) }
  }
}
