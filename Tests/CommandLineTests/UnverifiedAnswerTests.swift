import Testing

/// What a server recorded, and what an import without verification says about it later.
@Suite("answers that rest on what nobody verified") struct UnverifiedAnswerTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    try record("transaction.purchased", "bought", end: "2023-06-03T10:00:00Z")
  }

  /// Records an event of ada's subscription, as a server of ours would.
  private func record(_ type: String, _ id: String, end: String) throws {
    try append(
      #"{"id":"\#(id)","type":"\#(type)","occurredAt":"2023-06-02T10:00:00Z","account":"ada","#
        + #""transaction":"1","originalTransaction":"1","product":"plus","#
        + #""data":{"expiresAt":"\#(end)"}}"#)
  }

  private func append(_ line: String) throws {
    let outcome = try ledger.run("append", input: line)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  /// Imports decoded JSON of the same transaction, with another end.
  private func importDecoded(end: Int64) throws {
    let file = try ledger.folder.write(
      "decoded.json",
      #"{"transactionId":"1","originalTransactionId":"1","bundleId":"app","productId":"plus","#
        + #""purchaseDate":1685700000000,"expiresDate":\#(end),"quantity":1,"#
        + #""appAccountToken":"ada","environment":"Production","signedDate":1685700001000}"#)
    let outcome = try ledger.run("import", "transaction", file)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  private func unverified() throws -> [[String]?] {
    let answer = try ledger.run("entitlements", "ada", "--format", "json").object()
    let entries = try #require(answer["entitlements"] as? [[String: Any]])
    return entries.map { $0["unverified"] as? [String] }
  }

  @Test("say so of a later end of a purchase that is known otherwise") func laterEnd() throws {
    #expect(try unverified() == [[]])
    // 2036-06-02T10:00:00Z
    try importDecoded(end: 2_096_013_600_000)
    #expect(try unverified() == [["1"]])
    #expect(try ledger.run("entitlements", "ada").output.contains("store, not verified"))
    // A server records that end itself.
    try record("subscription.renewed", "renewed", end: "2036-06-02T10:00:00Z")
    #expect(try unverified() == [[]])
  }

  @Test("say nothing of what says the same as is known otherwise") func same() throws {
    // 2023-06-03T10:00:00Z
    try importDecoded(end: 1_685_786_400_000)
    #expect(try unverified() == [[]])
  }

  @Test(
    "say so of what gives access or ends it, and of nothing else",
    arguments: [
      ("transaction.refunded", true), ("transaction.refundReversed", true),
      ("subscription.renewalExtended", true), ("subscription.billingFailed", true),
      ("subscription.autoRenewChanged", false),
    ])
  func kinds(_ type: String, _ isListed: Bool) throws {
    try append(
      #"{"id":"later","type":"\#(type)","occurredAt":"2023-06-03T10:00:00Z","#
        + #""originalTransaction":"1","transaction":"1","source":"appStoreServer","#
        + #""data":{"verified":false,"autoRenew":false,"expiresAt":"2036-06-02T10:00:00Z","#
        + #""gracePeriodExpiresAt":"2036-06-02T10:00:00Z"}}"#)
    #expect(try unverified() == [isListed ? ["1"] : []])
  }
}
