import Foundation
import LedgerEvents
import LedgerHistories
import Testing

/// `docs/recording.md`: its Swift is compiled here, its JSON is what that Swift writes, and the
/// program takes all of it; `UPDATE_GOLDEN=1 swift test --filter RecordingGuideTests` writes the
/// JSON anew.
@Suite("The guide to recording") struct RecordingGuideTests {
  private func text(_ path: String) throws -> String {
    let root = try #require(packageRoot())
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The lines of each block of a language, and where it stands.
  private func blocks(_ language: String, in lines: [String]) -> [Range<Int>] {
    lines.indices.filter { lines[$0] == "```" + language }.compactMap { start in
      lines[start...].firstIndex(of: "```").map { start + 1..<$0 }
    }
  }

  /// What each call writes, with ids and times that are the same in every run.
  private func written() throws -> [[String]] {
    var lines: [String] = []
    var count: Int64 = 0
    let start = try #require(Instant(rfc3339: "2026-03-01T10:00:00Z"))
    var recorder = Recorder(
      app: "com.example.trails", device: "phone-1", session: "launch-1", account: "hiker-1",
      now: { Instant(microseconds: start.microseconds + count * Instant.second) },
      makeID: {
        count += 1
        let digits = String(count, radix: 16)
        return Name(
          "019ca8d7-2d00-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
      },
      write: { lines.append(String(decoding: $0, as: UTF8.self)) })
    return RecordingCalls.all.map { call in
      lines = []
      call(&recorder)
      return lines
    }
  }

  @Test("the JSON on the page is what the Swift before it writes") func json() throws {
    let page = "docs/recording.md"
    let old = try text(page)
    var lines = old.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let written = try written()
    let found = blocks("json", in: lines)
    try #require(found.count == written.count, "a block of JSON for each call")
    for (range, block) in zip(found, written).reversed() {
      lines.replaceSubrange(range, with: block)
    }
    let new = lines.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      let root = try #require(packageRoot())
      try Data(new.utf8).write(to: root.appending(path: page))
    }
    #expect(
      new == (try text(page)), "docs/recording.md shows something else: write it anew")
  }

  @Test("the Swift on the page is compiled") func swift() throws {
    let lines = try text("docs/recording.md")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let sources = try ["Recorder", "RecordingCalls"].map { name in
      Self.trimmed(try text("Tests/CommandLineTests/Recording/\(name).swift"))
    }.joined(separator: "\n")
    let found = blocks("swift", in: lines)
    #expect(found.count == RecordingCalls.all.count + 1)
    for range in found {
      let block = Self.trimmed(lines[range].joined(separator: "\n"))
      #expect(sources.contains(block), "not compiled: \(block)")
    }
  }

  private static func trimmed(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .joined(separator: "\n")
  }

  @Test("every line is taken without a warning, and says what it should") func appended() throws {
    let ledger = try TestLedger()
    let lines = try written().joined().joined(separator: "\n")
    let answer = try ledger.run("append", "--strict", "--format", "json", input: lines)
    #expect(answer.status == 0, "\(answer.output)")
    #expect((try answer.object()["warnings"] as? [Any])?.isEmpty == true)
    let has = try ledger.run("entitlements", "hiker-1", "--format", "json").object()
    let active = try #require(has["active"] as? [String])
    #expect(active.contains("com.example.trails.alps"))
    #expect(active.contains("com.example.trails.plus.monthly"))
    #expect(!active.contains("com.example.trails.coast"))
    let open = try ledger.run("transactions", "hiker-1", "--open", "--format", "jsonl").lines
    // What waits for somebody's approval is all that has no end.
    #expect(open.count == 2, "\(open)")
    #expect(open.allSatisfy { $0.contains(#""state":"deferred""#) })
    // The pitfalls of the page are those that rules know.
    let findings = try ledger.run("findings", "--severity", "critical", "--format", "jsonl")
    #expect(findings.output.isEmpty, "\(findings.output)")
  }
}
