import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Synchronization
import Testing

@testable import LedgerLog

@Suite("Appending to the log")
struct LogAppendTests {
  private let folder: TemporaryFolder
  private let log: EventLog

  init() throws {
    folder = try TemporaryFolder()
    log = try EventLog.makeNew(folder)
  }

  @Test(
    "refuses a clock that no record can state, and goes on with the next one",
    arguments: [-1, Instant.microsecondsMax + 1, .max])
  func impossibleClock(_ microseconds: Int64) throws {
    let now = Mutex(Instant(microseconds: microseconds))
    let log = try EventLog.create(at: folder.path + "/other") { now.withLock { $0 } }
    let error = #expect(throws: LedgerError.self) { try log.appendAndWait([progress("a")]) }
    #expect(error?.code == .io)
    #expect(error?.message.contains("clock") == true)
    #expect(try log.lastPosition() == 0)
    now.withLock { $0 = Instant(microseconds: Instant.microsecondsMax) }
    #expect(try log.appendAndWait([progress("a")]).outcomes == [.appended(1)])
    #expect(try log.allEvents().map(\.recordedAt.microseconds) == [Instant.microsecondsMax])
  }

  @Test("gives back what was appended, with positions from 1 and the ledger's clock")
  func roundTrip() async throws {
    let inputs = [progress("a"), note("b", "rang twice"), progress("c", of: "2000", at: 5)]
    let result = try await log.append(inputs)
    #expect(result.outcomes == [.appended(1), .appended(2), .appended(3)])
    #expect(result.positions == 1...3)
    let events = try log.allEvents()
    #expect(events.map(\.position) == [1, 2, 3])
    for (event, input) in zip(events, inputs) {
      #expect(event.event.sameContent(as: input.event))
      #expect(event.recordedAt == fixedClock())
    }
  }

  @Test("gives back every event of the recorded histories, field for field")
  func histories() throws {
    guard let histories = try sharedHistoryLines() else {
      print("Skipped: there is no ../shared/histories-2.jsonl beside this checkout.")
      return
    }
    let decoder = EventDecoder()
    var inputs: [EventInput] = []
    for (number, history) in histories.enumerated() {
      var seen: Set<Name> = []
      for event in try #require(history["events"] as? [[String: Any]]) {
        let line = try JSONSerialization.data(withJSONObject: event)
        var input = try decoder.decode(line: Array(line))
        guard seen.insert(input.event.id).inserted else { continue }
        // Each history starts its ids from the same number.
        input.event.id = Name("\(number)/\(input.event.id)")
        inputs.append(input)
      }
    }
    #expect(inputs.count > 10_000)
    for start in stride(from: 0, to: inputs.count, by: 500) {
      try log.appendAndWait(Array(inputs[start..<min(start + 500, inputs.count)]))
    }
    let encoder = EventEncoder()
    let changed = zip(try log.allEvents(), inputs).filter { event, input in
      !event.event.sameContent(as: input.event)
        || encoder.encode(event.event).count != encoder.encode(input.event).count
    }
    #expect(changed.first.map { "\($0)" } == nil)
    #expect(try log.lastPosition() == UInt64(inputs.count))
  }

  @Test("takes the stated clock where the caller asks to trust it, and else its own")
  func trustedClock() throws {
    var input = progress("a")
    input.recordedAt = Instant(microseconds: 42)
    try log.appendAndWait([input], options: AppendOptions(trustsRecordedAt: true))
    input.event.id = "b"
    try log.appendAndWait([input])
    #expect(try log.allEvents().map(\.recordedAt) == [Instant(microseconds: 42), fixedClock()])
  }

  @Test("acknowledges an event again with its first position")
  func duplicates() throws {
    try log.appendAndWait([progress("a"), progress("b")])
    let again = try log.appendAndWait([progress("b"), progress("c"), progress("a")])
    #expect(again.outcomes == [.duplicate(2), .appended(3), .duplicate(1)])
    #expect(again.appendedCount == 1)
    #expect(try log.lastPosition() == 3)
  }

  @Test("acknowledges the second of two equal events in one batch with the first's position")
  func duplicatesInOneBatch() throws {
    let result = try log.appendAndWait([progress("a"), progress("a"), progress("b")])
    #expect(result.outcomes == [.appended(1), .duplicate(1), .appended(2)])
  }

  @Test("refuses a batch whose id stands in the log with other content, and writes nothing of it")
  func conflict() throws {
    try log.appendAndWait([progress("a"), note("b", "x")])
    let error = #expect(throws: LedgerError.self) {
      try log.appendAndWait([progress("new"), note("b", "y"), progress("newer")])
    }
    #expect(error?.code == .conflict)
    #expect(error?.index == 1)
    #expect(error?.position == 2)
    #expect(try log.lastPosition() == 2)
    #expect(try log.appendAndWait([progress("new")]).outcomes == [.appended(3)])
  }

  @Test("refuses a batch that uses one id for two contents")
  func conflictInOneBatch() throws {
    let error = #expect(throws: LedgerError.self) {
      try log.appendAndWait([progress("a"), progress("b"), progress("a", of: "2000")])
    }
    #expect(error?.code == .conflict)
    #expect(error?.index == 2)
    #expect(try log.lastPosition() == 0)
  }

  @Test("tells ids apart by their bytes where texts are canonically equal")
  func canonicalEquivalence() throws {
    let result = try log.appendAndWait([progress("caf\u{E9}"), progress("cafe\u{301}")])
    #expect(result.outcomes == [.appended(1), .appended(2)])
  }

  @Test("refuses an event that breaks the format's rules, and says which")
  func invalid() throws {
    var input = progress("a")
    input.event.sequence = -1
    let error = #expect(throws: LedgerError.self) {
      try log.appendAndWait([progress("b"), input])
    }
    #expect(error?.code == .invalidEvent)
    #expect(error?.index == 1)
    #expect(try log.lastPosition() == 0)
  }

  @Test("counts the types that it does not know")
  func unknownTypes() throws {
    var input = progress("a")
    input.event.type = EventType(text: "tomorrow.happened")
    let result = try log.appendAndWait([input, progress("b")])
    #expect(result.unknownTypes == 1)
    #expect(try log.allEvents()[0].event.type.text == "tomorrow.happened")
  }

  @Test("answers an empty batch without a commit")
  func emptyBatch() throws {
    #expect(try log.appendAndWait([]).outcomes.isEmpty)
    #expect(try log.lastPosition() == 0)
  }

  @Test("numbers names over all kinds in the order of their first use, once each")
  func names() throws {
    try log.appendAndWait([progress("a"), progress("b"), progress("c", of: "2000")])
    try log.read { (view) throws(LedgerError) in
      #expect(try view.lastNameNumber() == 8)
      var texts: [String] = []
      for number: NameNumber in 1...8 { texts.append(try view.name(number).name.text) }
      #expect(
        texts == [
          "com.example.app", "account-1", "device-1", "session-1", "com.example.pack", "1000",
          "download-1", "2000",
        ])
      #expect(try view.name(2).kind == .account)
      #expect(try view.record(at: 3).number(.transaction) == 8)
    }
  }

  @Test("keeps names of persons and what people write out of the records")
  func personalApart() throws {
    try log.appendAndWait([note("a", "Erika Mustermann rang")])
    try log.read { (view) throws(LedgerError) in
      let record = [UInt8](copying: try view.recordBytes(at: 1))
      let text = String(decoding: record, as: UTF8.self)
      #expect(!text.contains("Mustermann"))
      #expect(!text.contains("account-1"))
      guard let personal = try view.personalBytes(at: 1) else {
        Issue.record("the note has no personal part")
        return
      }
      let row = String(decoding: [UInt8](copying: personal), as: UTF8.self)
      #expect(!row.contains("Mustermann"))
      let disclosed = try view.disclosures(at: 1) ?? []
      #expect(disclosed.map(\.member.name) == ["text"])
      #expect(
        try view.record(at: 1).commitment == Commitment.data(disclosed.map(\.commitment)))
      for one in disclosed {
        #expect(one.commitment == Commitment.member(one.member, nonce: one.nonce))
      }
    }
  }
}

/// Returns the lines of the recorded histories, if this checkout has them beside it.
private func sharedHistoryLines(_ source: String = #filePath) throws -> [[String: Any]]? {
  let root = source.split(separator: "/").dropLast(3).joined(separator: "/")
  let path = "/\(root)/../shared/histories-2.jsonl"
  guard let text = FileManager.default.contents(atPath: path) else { return nil }
  return try text.split(separator: UInt8(ascii: "\n")).compactMap {
    try JSONSerialization.jsonObject(with: $0) as? [String: Any]
  }
}
