import Crypto
import Foundation
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import Testing

@testable import Replay

private func page(_ events: [RecordedEvent], title: String = "trace.jsonl") -> TimelinePage {
  let slice = ReplayEvents(events: events, steps: Set(events.map(\.position)))
  return TimelinePage(title: title, history: ReplayHistory(Replay(slice)), events: slice)
}

/// Returns the text between two others.
private func part(of html: String, from begin: String, to end: String) throws -> String {
  let start = try #require(html.range(of: begin))
  let stop = try #require(html.range(of: end, range: start.upperBound..<html.endIndex))
  return String(html[start.upperBound..<stop.lowerBound])
}

@Suite("The page of a timeline") struct TimelinePageTests {
  @Test("is the same for the same events") func deterministic() throws {
    let events = Histories.dense(seed: 4)
    #expect(page(events).html == page(events).html)
  }

  @Test("allows its own script and style and nothing else") func policy() throws {
    let html = page(try recorded(interruptedPurchase)).html
    let policy = try part(
      of: html, from: #"http-equiv="Content-Security-Policy" content=""#, to: "\"")
    for (name, element) in [("script", "<script>"), ("style", "<style>")] {
      let text = try part(of: html, from: element, to: "</\(name)>")
      let hash = Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
      #expect(policy.contains("\(name)-src 'sha256-\(hash)'"))
    }
    #expect(policy.hasPrefix("default-src 'none';"))
    #expect(policy.contains("require-trusted-types-for 'script'"))
  }

  @Test("names nothing that would have to be fetched") func selfContained() throws {
    let html = page(try recorded(interruptedPurchase)).html
    for word in ["http:", "https:", " src=", "url(", "@import", "innerHTML", "eval("] {
      #expect(!html.contains(word), "\(word)")
    }
  }

  @Test("no text of an event ends the element that it stands in") func hostile() throws {
    let text = "</script><script>alert(1)</script><!--\u{2028}&\"'"
    var events = try recorded(interruptedPurchase)
    for index in events.indices {
      events[index].event.account = Name(text)
      events[index].event.device = Name(text)
    }
    let html = page(events, title: text).html
    #expect(html.components(separatedBy: "</script").count == 3)
    #expect(html.components(separatedBy: "<script").count == 3)
    #expect(!html.contains("<!--"))
    let data = try document(html)
    #expect(data.texts.contains(text))
    #expect(data.title == text)
  }

  @Test("says in tables what a reader without scripts needs") func tables() throws {
    var events = try recorded(interruptedPurchase)
    events[0].event.account = "<i>&\"\u{202E}"
    let html = page(events).html
    let tables = try part(of: html, from: "<noscript>", to: "</noscript>")
    for recorded in events {
      #expect(tables.contains("<span id=\"event-\(recorded.position)\">"))
      #expect(tables.contains("<td>\(recorded.event.type.text)</td>"))
    }
    #expect(tables.contains("<td>&lt;i&gt;&amp;&quot;\\u{202e}</td>"))
    let history = ReplayHistory(Replay(events))
    let outcome = history.outcome
    let count = outcome.findings.count + outcome.findingsAtTheEnd.count
    #expect(count > 0)
    #expect(tables.contains("<caption>Findings (\(count))</caption>"))
    for finding in outcome.findings + outcome.findingsAtTheEnd {
      #expect(tables.contains("<a href=\"#event-\(finding.position)\">"))
      #expect(tables.contains("<td>\(finding.rule.id)</td>"))
    }
    let change = try #require(history.steps.flatMap(\.changes).first { $0.after != nil })
    #expect(tables.contains("\(change.subject.name.text): \(change.after?.text ?? "")"))
  }

  @Test("has no tables where nothing happened") func empty() throws {
    let tables = try part(of: page([]).html, from: "<noscript>", to: "</noscript>")
    #expect(tables.contains("<p>Findings: none.</p>"))
    #expect(tables.contains("<p>Events: none.</p>"))
  }

  @Test("holds the state after every step", arguments: 1...10)
  func state(seed: UInt64) throws {
    let events = RecordedEvent.shuffled(Histories.dense(seed: seed), seed: seed)
    // Every other event is a step.
    let steps = Set(events.map(\.position).filter { $0 % 2 == seed % 2 || $0 > 40 })
    let slice = ReplayEvents(events: events, steps: steps)
    let history = ReplayHistory(Replay(slice))
    let data = try document(TimelinePage(title: "", history: history, events: slice).html)
    var lines: [Int: String] = [:]
    #expect(data.changes.count == history.steps.count)
    for (step, changed) in data.changes.enumerated() {
      let pairs = data.earlierChanges[step] + changed
      for index in stride(from: 0, to: pairs.count, by: 2) {
        let value = pairs[index + 1]
        lines[pairs[index]] = value == 0 ? nil : data.texts[value - 1]
      }
      let expected = history.state(after: step).map { line in
        "\(line.subject.kind.rawValue) \(line.subject.name) \(line.standing.text)"
      }
      let found = lines.map { subject, line in
        let row = data.subjects[subject]
        return "\(data.texts[row[0] - 1]) \(data.texts[row[5] - 1]) \(line)"
      }
      #expect(found.sorted() == expected.sorted(), "step \(step)")
    }
  }

  @Test("tells every finding, and what became of it", arguments: 1...10)
  func findings(seed: UInt64) throws {
    let events = RecordedEvent.shuffled(Histories.dense(seed: seed), seed: seed)
    let slice = ReplayEvents(events: events, steps: Set(events.map(\.position)))
    let history = ReplayHistory(Replay(slice))
    let data = try document(TimelinePage(title: "", history: history, events: slice).html)
    let standing = data.findings.filter { $0[4] < 0 }
    let outcome = history.outcome
    #expect(standing.count == outcome.findings.count + outcome.findingsAtTheEnd.count)
    #expect(standing.filter { $0[3] < 0 }.count == outcome.findingsAtTheEnd.count)
  }

  private struct Document: Decodable {
    var title: String
    var texts: [String]
    var earlierChanges: [[Int]]
    var changes: [[Int]]
    var subjects: [[Int]]
    var findings: [[Int]]
  }

  private func document(_ html: String) throws -> Document {
    let json = try part(of: html, from: #"<script type="application/json" id="data">"#, to: "</")
    return try JSONDecoder().decode(Document.self, from: Data(json.utf8))
  }
}

@Suite("A history of steps") struct ReplayHistoryTests {
  @Test("goes back to the state that was there", arguments: 1...20)
  func back(seed: UInt64) throws {
    let events = RecordedEvent.shuffled(Histories.dense(seed: seed), seed: seed)
    let history = ReplayHistory(Replay(events))
    for count in stride(from: 1, through: events.count, by: 7) {
      let shorter = ReplayHistory(Replay(Array(events.prefix(count))))
      let then = history.state(after: count - 1)
      #expect(then == shorter.state(after: count - 1), "step \(count)")
    }
  }
}
