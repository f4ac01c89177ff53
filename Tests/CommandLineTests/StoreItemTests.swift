import Foundation
import Testing

@Suite("storeitem") struct StoreItemTests {
  private static let page = "Tests/Scenarios/guide/page-that-opened-the-store.json"

  @Test("links and numbers give their items, and what names none is reported beside")
  func links() throws {
    let answer = try Program.run([
      "storeitem", "http://itunes.apple.com/us/app/ibooks/id364709193?mt=8", "com.example.reader",
      "id496963922", "--format", "jsonl",
    ])
    #expect(answer.status == 65)
    #expect(answer.lines.count == 2)
    #expect(
      answer.lines.first?.contains(#""item":364709193,"kind":"app","storefront":"us""#) == true)
    #expect(answer.errors.contains("com.example.reader is a bundle identifier"))
  }

  @Test("a file of links names the line that holds none") func file() throws {
    let folder = try TemporaryFolder()
    try Data("https://apps.apple.com/app/id1\n\nhttps://example.com/\nid2".utf8)
      .write(to: folder.file("links.txt"))
    let answer = try Program.run(["storeitem", folder.path("links.txt"), "--format", "json"])
    #expect(answer.status == 65)
    #expect(try answer.objects().map { $0["item"] as? Int } == [1, 2])
    #expect(answer.errors.contains("links.txt: line 3: "))
  }

  @Test("a lookup's answer comes from a pipe") func pipe() throws {
    let answer = try Program.run(
      ["storeitem", "-", "--format", "json"],
      input: #"{"results":[{"kind":"software","trackId":7,"trackName":"Seven"}]}"#)
    #expect(answer.status == 0)
    #expect(try answer.objects().first?["name"] as? String == "Seven")
    let refused = try Program.run(["storeitem", "-"], input: #"{"errorMessage":"Invalid value"}"#)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("standard input: the store refused the request"))
    let nothing = try Program.run(["storeitem", "-"], input: #"{"resultCount":0,"results":[]}"#)
    #expect(nothing.status == 0)
    #expect(nothing.errors.contains("the store found nothing"))
    #expect(try Program.run(["storeitem", "-"]).status == 65)
  }

  @Test("a feed is read in a stream of rows") func feed() throws {
    let rows = (1...2_500).map { "\($0)\u{1}App \($0)\u{2}\n" }.joined()
    let answer = try Program.run(
      ["storeitem", "-"], input: "#application_id\u{1}title\u{2}\n" + rows)
    #expect(answer.status == 0)
    #expect(answer.lines.count == 2_503)
    #expect(answer.lines.last?.hasPrefix("2500  application  -           App 2500") == true)
    let cut = try Program.run(["storeitem", "-"], input: "#application_id\u{2}\n1\u{2}\n2")
    #expect(cut.status == 65)
    #expect(cut.lines.count == 2)
    #expect(cut.errors.contains("record 1: is incomplete"))
  }

  @Test("events and replay take an item's pages by its number or a link")
  func pages() throws {
    let ledger = try TestLedger()
    let events = try Program.run(["simulate", Self.page])
    let appended = try Program.run(["append", "-"], ledger: ledger.path, input: events.output)
    #expect(appended.status == 0, "\(appended.errors)")
    let found = try ledger.run(
      "events", "--store-item", "https://itunes.apple.com/us/artist/apple/id284417353")
    #expect(found.lines.count == 2)
    #expect(try ledger.run("events", "--store-item", "364709193").lines.isEmpty)
    #expect(try ledger.run("events", "--store-item", "com.example.reader").status == 64)
    let replayed = try ledger.run("replay", "--store-item", "284417353")
    #expect(replayed.status == 0, "\(replayed.errors)")
    #expect(replayed.output.contains("2 steps"))
    #expect(replayed.output.contains("productPage.failed  reader-1  item 284417353"))
    #expect(replayed.output.contains("usually not a network problem"))
    let steps = try ledger.run("replay", "--store-item", "284417353", "--format", "json").object()
    let notes = try #require(steps["steps"] as? [[String: Any]]).map { $0["note"] as? String }
    #expect(notes.map { $0 != nil } == [false, true])
  }
}
