import Foundation
import LedgerEvents
import Testing

@testable import StoreImport

@Suite("The page about RevenueCat") struct RevenueCatPageTests {
  @Test("shows the table of the code") func table() throws {
    var rows = ["| type | reason | events |", "| --- | --- | --- |"]
    for meaning in RevenueCatMeaning.all {
      let events = meaning.kinds.map { "`\($0.text)`" }.joined(separator: ", ")
      let reason = meaning.reason.map { "`\($0)`" } ?? ""
      rows.append("| `\(meaning.type)` | \(reason) | \(events) |")
    }
    try GeneratedPart(page: "docs/revenuecat.md", name: "webhooks").expect(rows)
    #expect(Set(RevenueCatMeaning.all.map(\.type)).count == 18)
  }
}

/// A part of a page between two marks, which a test writes and holds.
struct GeneratedPart {
  let page: String
  let name: String

  /// Compares the part with these lines, or writes it.
  func expect(_ lines: [String]) throws {
    let shown = lines.joined(separator: "\n") + "\n"
    let (before, after) = ("<!-- \(name) -->\n", "<!-- end of \(name) -->")
    let file = StoreFiles.packageRoot.appending(path: page)
    let text = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(text.range(of: before))
    let stop = try #require(text.range(of: after))
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      let updated = text.replacingCharacters(in: start.upperBound..<stop.lowerBound, with: shown)
      try Data(updated.utf8).write(to: file, options: .atomic)
    }
    let now = try String(contentsOf: file, encoding: .utf8)
    #expect(now.contains(before + shown + after), "\(shown)")
  }
}
