import Foundation
import LedgerHistories
import Testing

/// Compares the tables in `docs/events.md` and `docs/rules.md` with the output of the program.
/// `UPDATE_GOLDEN=1 swift test --filter ReferencePageTests` updates them.
@Suite("The reference pages") struct ReferencePageTests {
  private static func answer<Line: Decodable>(_ arguments: String) throws -> [Line] {
    let outcome = try Program.run(arguments.split(separator: " ").map(String.init))
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try outcome.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }

  /// Returns the example of each type, as the program prints it.
  private static func examples() throws -> [String: String] {
    var examples: [String: String] = [:]
    for line in try Program.run(["types", "--format", "jsonl"]).lines {
      let type: ReferencePage.EventType = try JSONDecoder().decode(
        ReferencePage.EventType.self, from: Data(line.utf8))
      let start = try #require(line.range(of: #","example":"#))
      examples[type.type] = String(line[start.upperBound...].dropLast())
    }
    return examples
  }

  @Test("events.md has the envelope and every type, with an example") func events() throws {
    let types: [ReferencePage.EventType] = try Self.answer("types --format jsonl")
    #expect(types.count == 76)
    try check(
      "docs/events.md",
      [
        "envelope": ReferencePage.envelope(try Self.answer("types --envelope --format jsonl")),
        "types": ReferencePage.types(types, examples: try Self.examples()),
      ])
  }

  @Test("rules.md has every rule") func rules() throws {
    let rules: [ReferencePage.Rule] = try Self.answer("rules --format jsonl")
    try check(
      "docs/rules.md",
      [
        "rules at an event": ReferencePage.overview(of: rules, judged: "at an event"),
        "rules at a moment": ReferencePage.overview(of: rules, judged: "at a moment"),
        "rules": ReferencePage.rules(rules),
      ])
  }

  @Test("every example is appended, in whatever order") func examplesAppend() throws {
    let examples = try Self.examples()
    #expect(examples.count == 76)
    let lines = examples.keys.sorted().compactMap { examples[$0] }
    for order in [lines, lines.reversed()] {
      let answer = try TestLedger().run(
        ["append", "-", "--format", "json"], input: order.joined(separator: "\n"))
      #expect(answer.status == 0, "\(answer.errors)")
      #expect(try answer.object()["appended"] as? Int == examples.count)
      #expect(try answer.object()["unknownTypes"] as? Int == 0)
    }
  }

  /// Compares the text between the markers with the blocks, or updates it.
  private func check(_ path: String, _ blocks: [String: String]) throws {
    let file = try #require(packageRoot()).appending(path: path)
    let old = try String(contentsOf: file, encoding: .utf8)
    var page = old
    for (name, block) in blocks {
      let begin = "<!-- reference: \(name) -->\n"
      let start = try #require(page.range(of: begin), "\(path) has no \(begin)")
      let stop = try #require(
        page.range(
          of: "<!-- end of reference -->", range: start.upperBound..<page.endIndex))
      page.replaceSubrange(start.upperBound..<stop.lowerBound, with: block)
    }
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(page.utf8).write(to: file)
    } else {
      #expect(page == old, "\(path) says something else: write it anew with UPDATE_GOLDEN=1")
    }
  }
}
