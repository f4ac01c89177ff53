import LedgerEvents
import LedgerHistories
import LedgerQueries
import Testing

@testable import Audit

/// A bundle reveals no names of people and nothing that a person wrote.
@Suite("A bundle's secrets") struct BundleSecrecyTests {
  /// The beginning of the text in every personal field of an event.
  private static let secret = "secret-of-"

  private static func line(_ id: Int, _ type: String, _ rest: String) throws -> RecordedEvent {
    let time = "2026-03-01T10:00:\(id < 10 ? "0" : "")\(id)Z"
    let line = #"{"id":"e-\#(id)","type":"\#(type)","occurredAt":"\#(time)"\#(rest)}"#
    let event = try EventDecoder().decode(line: Array(line.utf8)).event
    return RecordedEvent(position: UInt64(id), recordedAt: event.occurredAt, event: event)
  }

  private static func personal() throws -> [RecordedEvent] {
    let whom =
      #","account":"secret-of-ada","device":"secret-of-phone","session":"secret-of-launch""#
    let rest = whom + #","app":"com.example.maps","product":"map","transaction":"t-1""#
    return [
      try line(
        1, "catalog.set",
        #","data":{"products":[{"product":"map","kind":"nonConsumable","hint":"secret-of-shop"}]}"#
      ),
      try line(
        2, "session.started",
        whom + #","data":{"appVersion":"2.1","reason":"secret-of-start","mood":"secret-of-mood"}"#),
      try line(
        3, "transaction.purchased",
        rest + #","data":{"price":"4.99","currency":"EUR","#
          + #""downloads":[{"download":"d-1","colour":"secret-of-colour"}]}"#),
      try line(
        4, "download.failed",
        rest + #","download":"d-1","data":{"contentURL":"file:///secret-of-url","#
          + #""error":{"domain":"D","code":7,"message":"secret-of-error"}}"#),
      try line(
        5, "content.installed",
        rest + #","data":{"contentVersion":"1.0","path":"/secret-of-path","digest":"aa"}"#),
      try line(
        6, "account.linked",
        #","account":"secret-of-ada","data":{"to":"secret-of-ben","operator":"secret-of-kim","#
          + #""reason":"secret-of-reason"}"#),
      try line(
        7, "note.added",
        #","account":"secret-of-ben","data":{"text":"secret-of-text","operator":"secret-of-kim"}"#),
      try line(
        8, "app.dreamed", whom + #","data":{"dream":"secret-of-dream"}"#),
      try line(
        9, "operator.acted",
        #","account":"secret-of-ada","data":{"action":"looked","operator":"secret-of-kim","#
          + #""detail":{"why":["secret-of-detail"]}}"#),
    ]
  }

  @Test("have no stranger's event that only says that there is another environment")
  func strangers() throws {
    let ledger = try BundledLedger([
      try Self.line(
        1, "transaction.purchased",
        #","account":"eve","device":"d-e","environment":"sandbox","#
          + #""product":"fox","transaction":"t-e""#),
      try Self.line(
        2, "transaction.purchased",
        #","account":"ada","device":"d-a","environment":"production","#
          + #""product":"map","transaction":"t-a""#),
    ])
    let lines = try ledger.bundle(of: "ada")
    #expect(try IncidentBundle.read(lines).events.events.map(\.position) == [2])
    #expect(try lines.compactMap { try BundleFormat.leaf($0) }.count == 1)
  }

  @Test("are in none of its bytes, neither in the events nor in the entries") func nothing() throws
  {
    let ledger = try BundledLedger(try Self.personal(), folded: 4)
    let lines = try ledger.bundle(of: "secret-of-ada")
    let bundle = try IncidentBundle.read(lines)
    #expect(bundle.events.events.count == 9)
    var searched = 0
    for line in lines {
      var bytes = line
      for text in String(decoding: line, as: UTF8.self).split(separator: "\"") {
        bytes += decoded(text)
      }
      searched += bytes.count
      #expect(!contains(bytes, Self.secret), "\(String(decoding: line, as: UTF8.self))")
    }
    // The control: public data is found in both forms.
    #expect(searched > lines.reduce(0) { $0 + $1.count })
    #expect(lines.contains { contains($0, "com.example.maps") })
    let whole = try ledger.events(of: "secret-of-ada")
    let reported = whole.events.flatMap { EventEncoder().encode($0) }
    #expect(contains(reported, Self.secret + "dream"))
  }

  @Test("are withheld by name where the event needs them, and the event is a valid one")
  func withheld() throws {
    let ledger = try BundledLedger(try Self.personal())
    let events = try IncidentBundle.read(try ledger.bundle(of: "secret-of-ben")).events.events
    for recorded in events { try recorded.event.validate() }
    let error = events[3].event.data.object("error")
    #expect(error?.map(\.name) == ["domain", "code"])
    #expect(error?.first?.value.string == "withheld:4")
    #expect(events[4].event.data.string("path")?.hasPrefix("path-") == true)
    #expect(events[5].event.account?.text.hasPrefix("account-") == true)
    #expect(events[5].event.data.string("to")?.hasPrefix("account-") == true)
    #expect(events[6].event.data.string("text") == "withheld:7")
    #expect(events[1].event.data.string("reason") == "withheld:2")
    #expect(events[1].event.data.string("mood") == nil)
    #expect(events[3].event.data.string("contentURL") == "withheld:4")
    #expect(events[7].event.data.isEmpty)
    #expect(events[8].event.data.string("operator") == "withheld:9")
    #expect(events[2].event.data.string("price") == "4.99")
    #expect(events[2].event.transaction == "t-1")
  }

  @Test("are shown one by one where that is asked for, with proof, and the others are not")
  func disclosed() throws {
    let ledger = try BundledLedger(try Self.personal())
    let lines = try ledger.bundle(of: "secret-of-ada", disclosing: ["error", "dream", "operator"])
    let events = try IncidentBundle.read(lines).events.events
    let error = events[3].event.data.object("error")
    #expect(error?.first { $0.name == "code" }?.value.integer == 7)
    #expect(events[3].event.data.string("contentURL") == "withheld:4")
    #expect(events[5].event.data.string("operator") == "secret-of-kim")
    #expect(events[5].event.data.string("reason") == "withheld:6")
    #expect(events[7].event.data.string("dream") == "secret-of-dream")
    let reported = lines.map { String(decoding: $0, as: UTF8.self) }.joined()
    #expect(reported.contains("secret-of-error"))
    for other in ["reason", "text", "url", "path", "detail", "mood", "ada", "phone", "launch"] {
      #expect(!reported.contains("secret-of-\(other)"), "\(other)")
    }
    // Both the event and its proof are changed.
    for (part, lie) in [("secret-of-error", "secret-of-cause"), (#""code\":7"#, #""code\":8"#)] {
      let changed = lines.map { line in
        Array(String(decoding: line, as: UTF8.self).replacing(part, with: lie).utf8)
      }
      #expect(changed != lines)
      #expect(throws: ProofError(.notProven, "")) { try IncidentBundle.read(changed) }
    }
  }

  @Test("have the same pseudonym in every bundle of a ledger") func stable() throws {
    let ledger = try BundledLedger(Histories.dense(seed: 4))
    let before = try IncidentBundle.read(try ledger.bundle(of: "A"))
    try ledger.append(
      [try Self.line(1, "note.added", #","account":"A","data":{"text":"again"}"#)])
    let after = try IncidentBundle.read(try ledger.bundle(of: "A"))
    #expect(before.account == after.account)
    #expect(after.checkpoint.size == before.checkpoint.size + 1)
    for (one, other) in zip(before.events.events, after.events.events) {
      #expect(one.event.sameContent(as: other.event))
    }
  }

  private func decoded(_ text: Substring) -> [UInt8] {
    // Every run of base64 letters is searched.
    var bits = 0
    var count = 0
    var bytes: [UInt8] = []
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for byte in text.utf8 {
      guard let value = letters.firstIndex(of: byte) else { return bytes }
      bits = (bits << 6 | value) & 0xFFFFFF
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return bytes
  }

  private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard bytes.count >= wanted.count else { return false }
    return bytes.indices.dropLast(wanted.count - 1).contains { bytes[$0...].starts(with: wanted) }
  }
}
