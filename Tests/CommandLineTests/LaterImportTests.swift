import Foundation
import Testing

/// What arrives later than it should, or beside somebody else's.
@Suite("an import of what is older") struct LaterImportTests {
  private let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  /// 2023-06-02T10:00:00Z, in milliseconds.
  private static let start: Int64 = 1_685_700_000_000
  private static let day: Int64 = 86_400_000

  private func period(
    _ number: Int64, of account: String = "ada", chain: String = "1", more: String = ""
  ) -> String {
    let start = Self.start + number * Self.day
    return #"{"transactionId":"\#(chain)\#(number)","originalTransactionId":"\#(chain)0","#
      + #""bundleId":"app","productId":"plus","purchaseDate":\#(start),"#
      + #""expiresDate":\#(start + Self.day),"appAccountToken":"\#(account)","quantity":1,"#
      + #""environment":"Production","signedDate":\#(start + 1_000)\#(more)}"#
  }

  private func imported(_ format: String, _ text: String) throws {
    let file = try ledger.folder.write("file-\(UUID().uuidString).json", text)
    let outcome = try ledger.run("import", format, file)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  private func active(_ account: String, at time: String) throws -> [String] {
    let answer = try ledger.run(
      "entitlements", account, "--at", time, "--format", "json"
    ).object()
    return answer["active"] as? [String] ?? []
  }

  @Test("knows the customer at the time of the older one, too") func older() throws {
    try imported("transaction", period(2))
    try imported("transaction", period(1))
    try imported("transaction", period(0))
    for time in ["2023-06-02T18:00:00Z", "2023-06-03T18:00:00Z", "2023-06-04T18:00:00Z"] {
      #expect(try active("ada", at: time) == ["plus"], "\(time)")
    }
    #expect(try active("ada", at: "2023-06-05T18:00:00Z").isEmpty)
  }

  @Test("does not take back what was transferred meanwhile") func transferred() throws {
    try imported("transaction", period(2))
    let moved = try ledger.run(
      "transfer", "ada", "ben", "--yes", "--new-account", "--operator", "kim", "--reason", "sold")
    #expect(moved.status == 0, "\(moved.errors)")
    let before = try ledger.events().count
    try imported("transaction", period(1))
    let added = try ledger.events().dropFirst(before)
    #expect(!added.contains { $0.contains("transaction.assigned") }, "\(added)")
    #expect(try ledger.run("verify").status == 0)
  }

  @Test("one file can tell of two customers, whose ends do not mix") func twoCustomers() throws {
    func told(_ account: String, _ chain: String, signed: Int64) -> String {
      let renewal =
        #"{"originalTransactionId":"\#(chain)0","productId":"plus","autoRenewStatus":0,"#
        + #""expirationIntent":1,"signedDate":\#(signed),"environment":"Production"}"#
      return #"{"notificationType":"EXPIRED","subtype":"VOLUNTARY","#
        + #""notificationUUID":"u\#(chain)","signedDate":\#(signed),"data":{"bundleId":"app","environment":"Production","#
        + #""signedTransactionInfo":\#(period(0, of: account, chain: chain)),"#
        + #""signedRenewalInfo":\#(renewal)}}"#
    }
    // Ben's statement comes ten days later, and in the same file.
    let late = Self.start + 10 * Self.day
    try imported(
      "notification",
      told("ada", "1", signed: Self.start + Self.day + 60_000) + "\n"
        + told("ben", "2", signed: late))
    // Ada subscribed again between the two, which her own end must not undo.
    try imported("transaction", period(3, more: #","isUpgraded":false"#))
    #expect(try active("ada", at: "2023-06-02T18:00:00Z") == ["plus"])
    #expect(try active("ada", at: "2023-06-05T18:00:00Z") == ["plus"])
    #expect(try active("ben", at: "2023-06-02T18:00:00Z") == ["plus"])
    #expect(try active("ben", at: "2023-06-05T18:00:00Z").isEmpty)
  }

  @Test("a recorded notification with an impossible date is no obstacle") func impossible() throws {
    let event =
      #"{"id":"u1","type":"notification.received","occurredAt":"2023-06-02T10:00:00Z","#
      + #""source":"notification","data":{"notificationType":"TEST","#
      + #""signedDate":9223372036854775807}}"#
    #expect(try ledger.run(["append", "-"], input: event + "\n").status == 0)
    try imported(
      "notification",
      #"{"notificationType":"TEST","notificationUUID":"u1","signedDate":\#(Self.start),"#
        + #""data":{"bundleId":"app","environment":"Production"}}"#)
  }

  @Test("an empty page of history appends nothing, and the next file is imported") func emptyPage()
    throws
  {
    let empty = try ledger.folder.write(
      "empty.json", #"{"signedTransactions":[],"hasMore":false,"revision":"r"}"#)
    let outcome = try ledger.run("import", "history", empty, "--format", "json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try outcome.object()["appended"] as? Int == 0)
    #expect(try ledger.events().isEmpty)
  }
}
