import Foundation
import Testing

@Suite("content updates and publish") struct ContentUpdatesCommandTests {
  private let ledger: TestLedger
  private static let alps = "example.trailmaps.region.alps"
  private let publish = ["content", "publish", "--product", alps, "--version", "2.2"]

  init() throws {
    ledger = try TestLedger()
    let incidents = "Tools/samples/incidents/"
    let answer = try ledger.run(
      "append", incidents + "alps-as-it-should-be.jsonl", incidents + "copied-too-late.jsonl")
    #expect(answer.status == 0)
  }

  @Test("a version is published once, and then somebody is behind") func publishing() throws {
    let before = try ledger.run("content", "updates", "--product", Self.alps, "--format", "jsonl")
    #expect(before.lines.count == 1)
    #expect(before.lines.first?.contains(#""behind":0"#) == true)
    let first = try ledger.run(publish + ["--format", "json"]).object()
    #expect(first["new"] as? Bool == true)
    let again = try ledger.run(publish + ["--format", "json"]).object()
    #expect(again["new"] as? Bool == false)
    #expect(again["position"] as? Int == first["position"] as? Int)
    let lines = try ledger.run("content", "updates", "--product", Self.alps, "--format", "jsonl")
      .lines
    #expect(lines.count == 2)
    #expect(lines[0].contains(#""available":"2.2""#) && lines[0].contains(#""behind":1"#))
    #expect(lines[1].contains(#""installed":"2.1""#) && lines[1].contains(#""reason":"behind""#))
  }

  @Test("a version that does not rise is refused") func notIncreased() throws {
    let answer = try ledger.run(
      "content", "publish", "--product", Self.alps, "--version", "2.1")
    #expect(answer.status == 65)
    #expect(answer.errors.contains("not higher than 2.1"))
    let older = try ledger.run("content", "publish", "--product", Self.alps, "--version", "1.10")
    #expect(older.status == 65)
  }

  @Test("a product sold without hosted content is refused") func soldWithout() throws {
    #expect(try ledger.run("append", "Tools/samples/shop.jsonl").status == 0)
    let answer = try ledger.run(
      "content", "publish", "--product", "example.tides.forecasts", "--version", "1.0")
    #expect(answer.status == 65)
    #expect(answer.errors.contains("without hosted content"))
  }

  @Test("a package is published with its bytes and digest") func package() throws {
    let answer = try ledger.run("content", "publish", "Tools/samples/atlas", "--format", "json")
    #expect(answer.status == 0, "\(answer.errors)")
    let release = try answer.object()
    #expect(release["product"] as? String == "com.example.atlas")
    #expect(release["bytes"] as? Int == 400)
    #expect(try ledger.events().last?.contains(#""contentLengths":[400]"#) == true)
    #expect(try ledger.run("content", "publish", "Tools/samples").status == 65)
    #expect(try ledger.run("content", "publish", "no-such-folder").status == 66)
  }

  @Test("the counts alone are one document") func counts() throws {
    let document = try ledger.run("content", "updates", "--count", "--format", "json").object()
    #expect((document["counts"] as? [Any])?.count == 2)
    #expect(document["updates"] == nil)
    let whole = try ledger.run("content", "updates", "--format", "json").object()
    #expect((whole["updates"] as? [Any])?.count == 1)
  }

  @Test("arguments that do not go together are a usage error") func usage() throws {
    #expect(try ledger.run("content", "publish").status == 64)
    #expect(try ledger.run("content", "publish", "--product", "a").status == 64)
    #expect(
      try ledger.run("content", "publish", "--product", "a", "--version", "one").status == 64)
    #expect(
      try ledger.run("content", "publish", "Tools/samples/atlas", "--version", "2").status == 64)
  }
}
