import Foundation
import Testing

@Suite("explain") struct ExplainTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [
      Sample.purchase("t1", of: "ada", at: 0),
      Sample.event(
        "refund", "transaction.refunded", at: 60, #","source":"notification","transaction":"t1""#),
    ])
  }

  @Test("it says what decides, in order, with what there would be without it") func text() throws {
    let answer = try ledger.run("explain", "ada", "map")
    #expect(answer.status == 0, "\(answer.errors)")
    let (since, then) = ("2026-02-01T12:00:00Z", "2026-02-01T12:01:00Z")
    #expect(answer.lines.first == "ada is not entitled to map: map refunded since \(then)")
    #expect(answer.output.contains("the store's server refunded transaction t1"))
    #expect(answer.output.contains("map active since \(since) → map refunded since \(then)"))
    #expect(answer.output.contains("without it: map active since \(since)"))
  }

  @Test("what has ended is not said to last until then") func ended() throws {
    let line = Sample.event(
      "sub", "transaction.purchased", at: 5,
      #","account":"eve","transaction":"s1","product":"monthly","#
        + #""data":{"expiresAt":"2026-02-01T13:00:00Z"}"#)
    #expect(try ledger.run("append", input: line).status == 0)
    func verdict(_ time: String) throws -> String? {
      try ledger.run("explain", "eve", "monthly", "--at", time).lines.first
    }
    let since = "monthly active since 2026-02-01T12:00:05Z until 2026-02-01T13:00:00Z"
    #expect(try verdict("2026-02-01T12:30:00Z") == "eve is entitled to monthly: \(since)")
    let over = try verdict("2026-02-01T14:00:00Z")
    #expect(over?.contains("monthly expired since") == true, "\(over ?? "")")
    #expect(over?.hasSuffix("ended 2026-02-01T13:00:00Z") == true, "\(over ?? "")")
    let diff = try ledger.run(
      "diff", "eve", "--as-of", "3", "--from", "2026-02-01T12:30:00Z", "--to",
      "2026-02-01T14:00:00Z")
    #expect(
      diff.lines == [
        "eve  monthly: active until 2026-02-01T13:00:00Z → expired ended 2026-02-01T13:00:00Z"
      ])
  }

  @Test("each clock gives its own answer, explained") func clocks() throws {
    let before = try ledger.run("explain", "ada", "map", "--at", "2026-02-01T12:00:30Z")
    #expect(before.lines.first == "ada is entitled to map: map active since 2026-02-01T12:00:00Z")
    let known = try ledger.run("explain", "ada", "map", "--as-of", "1", "--format", "json").object()
    #expect(known["has"] as? Bool == true)
    #expect(known["position"] as? Int == 1)
    #expect((known["events"] as? [Any])?.count == 1)
    #expect(try ledger.run("explain", "ada", "map", "--as-of", "3").status == 65)
  }

  @Test("what nobody knows is said to be unknown, and is no error") func unknown() throws {
    let account = try ledger.run("explain", "bob", "map", "--format", "json")
    #expect(account.status == 0)
    #expect(try account.object()["because"] as? String == "unknownAccount")
    #expect(try account.object()["known"] as? Bool == false)
    let product = try ledger.run("explain", "ada", "hat")
    #expect(
      product.lines == [
        "ada is not entitled to hat",
        "because the ledger knows no product and no entitlement of this name.",
      ])
    #expect(product.status == 0)
  }

  @Test("what is near an unknown name is said") func near() throws {
    let product = try ledger.run("explain", "ada", "mpa")
    #expect(product.lines.last?.hasSuffix("; did you mean map?") == true, "\(product.output)")
    let long = Sample.event(
      "long", "transaction.purchased",
      #","transaction":"t-long","product":"com.example.maps.alps","account":"eve""#)
    #expect(try ledger.run("append", input: long).status == 0)
    for part in ["alps", "Alps", "alpz"] {
      let answer = try ledger.run("explain", "ada", part).lines.last
      #expect(answer?.hasSuffix("did you mean com.example.maps.alps?") == true, "\(part)")
    }
    let account = try ledger.run("explain", "adda", "map")
    #expect(account.lines.last?.hasSuffix("; did you mean ada?") == true, "\(account.output)")
    let json = try ledger.run("explain", "ada", "mpa", "--format", "json").object()
    #expect(json["because"] as? String == "unknownName")
    #expect(json["nearName"] as? String == "map")
    let entitlement = try ledger.run(
      "grant", "eve", "--entitlement", "premium", "--new-account", "--operator", "kim", "--reason",
      "ticket")
    #expect(entitlement.status == 0, "\(entitlement.errors)")
    #expect(
      try ledger.run("explain", "ada", "premum").lines.last?.hasSuffix("did you mean premium?")
        == true)
    // The ledger knows the name, but not for this customer.
    #expect(
      try ledger.run("explain", "ada", "premium").lines.last?.contains("did not try to buy it")
        == true)
  }
}

@Suite("explain, of content") struct ExplainedContentTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    func event(_ id: String, _ type: String, _ second: Int, _ device: String, _ more: String)
      -> String
    {
      Sample.event(
        id, type, at: second,
        #","account":"lea","device":"\#(device)","transaction":"t1","product":"alps""# + more)
    }
    let downloads =
      #","data":{"downloads":[{"download":"north","contentVersion":"1.0","expectedLength":7}]}"#
    let lines = [
      event("a", "transaction.purchased", 1, "phone", downloads),
      event("b", "download.requested", 2, "phone", #","download":"north""#),
      event(
        "c", "download.failed", 3, "phone",
        #","download":"north","data":{"error":{"domain":"NSURLErrorDomain","code":-1005}}"#),
      event("d", "transaction.finished", 4, "phone", ""),
      Sample.event("e", "session.started", at: 5, #","account":"lea","device":"tablet""#),
    ]
    let appended = try ledger.run("append", input: lines.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
  }

  @Test("an entitled customer without content hears on which devices it is missing, and what to do")
  func missing() throws {
    let answer = try ledger.run("explain", "lea", "alps")
    #expect(answer.lines.first?.hasPrefix("lea is entitled to alps: alps active") == true)
    #expect(answer.output.contains("alps is not installed on phone\n"), "\(answer.output)")
    #expect(answer.output.contains("alps is not installed on tablet\n"))
    #expect(answer.output.contains("finished-after-failed-download  t1"))
    #expect(answer.output.contains("Have the customer restore purchases on phone"))
    #expect(answer.output.contains("  finished-after-failed-download: "))
    let json = try ledger.run("explain", "lea", "alps", "--format", "json").object()
    let devices = try #require(json["devices"] as? [[String: Any]])
    #expect(devices.map { $0["device"] as? String } == ["phone", "tablet"])
    #expect(devices.allSatisfy { $0["contentVersion"] is NSNull })
    // The tablet was first used a second later.
    let earlier = try ledger.run(
      "explain", "lea", "alps", "--at", "2026-02-01T12:00:04Z", "--format", "json"
    ).object()
    let devicesThen = try #require(earlier["devices"] as? [[String: Any]])
    #expect(devicesThen.map { $0["device"] as? String } == ["phone"])
    #expect((json["advice"] as? [String])?.isEmpty == false)
    let findings = try #require(json["findings"] as? [[String: Any]])
    #expect(findings.contains { $0["rule"] as? String == "finished-after-failed-download" })
  }

  @Test("where the content is, and that a newer version is on offer, is said") func installed()
    throws
  {
    let lines = [
      Sample.event(
        "f", "content.installed", at: 6,
        #","account":"lea","device":"tablet","transaction":"t1","product":"alps","#
          + #""download":"north","data":{"contentVersion":"1.0","path":"alps/1.0"}"#),
      Sample.event(
        "g", "content.versionPublished", at: 7,
        #","source":"operator","product":"alps","data":{"contentVersion":"2.0"}"#),
    ]
    #expect(try ledger.run("append", input: lines.joined(separator: "\n")).status == 0)
    let answer = try ledger.run("explain", "lea", "alps")
    #expect(
      answer.output.contains(
        "alps 1.0 is installed on tablet since 2026-02-01T12:00:06Z; 2.0 is on offer"),
      "\(answer.output)")
    #expect(answer.output.contains("alps is not installed on phone"))
    #expect(answer.output.contains("restore purchases on tablet to get version 2.0"))
  }

  @Test("of an entitlement, only the products that the customer holds count") func entitlement()
    throws
  {
    let catalogue = Sample.event(
      "catalogue", "catalog.set", at: 0,
      #","source":"operator","data":{"products":["#
        + #"{"product":"alps","kind":"nonConsumable","entitlements":["maps"]},"#
        + #"{"product":"coast","kind":"nonConsumable","entitlements":["maps"]}]}"#)
    let offer = Sample.event(
      "coast", "content.versionPublished", at: 8,
      #","source":"operator","product":"coast","data":{"contentVersion":"1.0"}"#)
    #expect(try ledger.run("append", input: catalogue + "\n" + offer).status == 0)
    let answer = try ledger.run("explain", "lea", "maps")
    #expect(answer.output.contains("alps is not installed on phone"), "\(answer.output)")
    #expect(!answer.output.contains("coast"))
    // Two customers, neither of whom has a similar name.
    #expect(
      try ledger.run("append", input: Sample.purchase("t7", of: "reader-1", at: 9)).status == 0)
    #expect(!(try ledger.run("explain", "reader-3", "alps").output.contains("did you mean")))
  }

  @Test("a product without content says nothing of devices") func noContent() throws {
    #expect(try ledger.run("append", input: Sample.purchase("t9", of: "ada", at: 9)).status == 0)
    let answer = try ledger.run("explain", "ada", "map")
    #expect(answer.lines.first?.hasPrefix("ada is entitled to map") == true)
    #expect(!answer.output.contains("installed"))
    #expect(!answer.output.contains("what to do"))
  }
}
