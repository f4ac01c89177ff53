import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import Testing

@testable import Replay

private func whole(_ events: [RecordedEvent]) -> ReplayEvents {
  ReplayEvents(events: events, steps: Set(events.map(\.position)))
}

private func edited(_ events: [RecordedEvent], _ edits: ReplayEdit...) throws -> EditedEvents {
  try EditedEvents(whole(events), edits)
}

private func message(_ body: () throws -> EditedEvents) -> String {
  do {
    _ = try body()
    return "nothing was wrong"
  } catch {
    return "\(error)"
  }
}

extension EditedEvents {
  fileprivate var ids: [Name] { events.events.map(\.event.id) }
  fileprivate var positions: [UInt64] { events.events.map(\.position) }
  fileprivate var idsInTime: [Name] {
    events.events.sorted { $0.foldKey < $1.foldKey }.map(\.event.id)
  }
}

@Suite("Edited events") struct EditedEventsTests {
  private let five: [String] = (1...5).map { line("\($0)", "note.added", at: $0, noteData) }

  @Test("without one that was dropped, the others stay where they were") func drop() throws {
    let after = try edited(recorded(five), .drop(2))
    #expect(after.ids == ["1", "3", "4", "5"])
    #expect(after.positions == [1, 3, 4, 5])
    #expect(after.formerPositions.isEmpty)
  }

  @Test("a moved one occurs a microsecond after the other") func move() throws {
    let after = try edited(recorded(five), .move(2, after: 4))
    #expect(after.ids == ["1", "3", "4", "2", "5"])
    #expect(after.positions == [1, 3, 4, 5, 6])
    #expect(after.formerPositions == [5: 2, 6: 5])
    let moved = after.events.events[3].event
    #expect(
      moved.occurredAt.microseconds == after.events.events[2].event.occurredAt.microseconds + 1)
    #expect(after.notes.map(\.text) == ["2 moved after 4"])
    #expect(after.notes[0].positions.map(\.position) == [5])
  }

  @Test("after 0 is before all") func first() throws {
    let after = try edited(recorded(five), .move(3, after: 0))
    #expect(after.ids == ["3", "1", "2", "4", "5"])
    #expect(after.idsInTime == after.ids)
  }

  @Test("a moved one is folded right after the other, and all others stay", arguments: 1...40)
  func moves(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let events = RecordedEvent.shuffled(Histories.dense(seed: seed), seed: seed)
    var count = 0
    for _ in 0..<10 {
      let position = UInt64(1 + random.below(events.count))
      let other = UInt64(1 + random.below(events.count))
      guard position != other,
        let after = try Self.unlessFull({ try edited(events, .move(position, after: other)) })
      else { continue }
      count += 1
      let id = events[Int(position) - 1].event.id
      let otherID = events[Int(other) - 1].event.id
      for order in [after.ids, after.idsInTime] {
        let index = try #require(order.firstIndex(of: id))
        #expect(index > 0 && order[index - 1] == otherID, "seed \(seed): \(position), \(other)")
      }
      #expect(zip(after.positions, after.positions.dropFirst()).allSatisfy { $0 < $1 })
      for recorded in after.events.events where recorded.event.id != id {
        let before = events.first { $0.event.id == recorded.event.id }
        #expect(before?.event.occurredAt == recorded.event.occurredAt)
        #expect(before?.event.sequence == recorded.event.sequence)
      }
    }
    #expect(count > 0)
  }

  private static func unlessFull(_ body: () throws -> EditedEvents) throws -> EditedEvents? {
    do { return try body() } catch let error as ReplayEditError {
      guard error.description.contains("no room") else { throw error }
      return nil
    }
  }

  @Test("of one session do not step its clock back") func sequence() throws {
    let lines = (1...6).map {
      line(
        "\($0)", "payments.checked", at: $0,
        #","device":"phone","session":"s","sequence":\#($0),"data":{"allowed":true}"#)
    }
    for edit in [ReplayEdit.move(2, after: 5), .move(5, after: 2), .repeat(3), .move(4, after: 0)] {
      let after = try edited(recorded(lines), edit)
      let outcome = Replay(after.events).run { _ in }
      #expect(outcome.findings.isEmpty, "\(edit): \(outcome.findings.map(\.rule.id))")
      #expect(after.idsInTime == after.ids, "\(edit)")
    }
  }

  @Test("fit between two of one microsecond by their sequence") func sameTime() throws {
    let lines = [
      line("9", "note.added", at: 1, noteData),
      line("3", "note.added", at: 5, #","sequence":1"# + noteData),
      line("8", "note.added", at: 5, #","sequence":4"# + noteData),
    ]
    let after = try edited(recorded(lines), .move(1, after: 2))
    #expect(after.idsInTime == ["3", "9", "8"])
  }

  @Test("follow one that has the highest sequence of all") func highest() throws {
    let lines = [
      line("9", "note.added", at: 1, #","sequence":1"# + noteData),
      line("3", "note.added", at: 5, #","sequence":9223372036854775807"# + noteData),
    ]
    #expect(try edited(recorded(lines), .move(1, after: 2)).idsInTime == ["3", "9"])
  }

  @Test("say where there is no room") func noRoom() throws {
    let lines = [
      line("9", "note.added", at: 1, noteData), line("3", "note.added", at: 5, noteData),
      line("4", "note.added", at: 5, noteData),
    ]
    let events = try recorded(lines)
    #expect(
      message { try edited(events, .move(1, after: 2)) }.hasPrefix("There is no room after 2"))
    #expect(try edited(events, .move(1, after: 3)).idsInTime == ["3", "4", "9"])
  }

  @Test("a repeated one has an id of its own") func again() throws {
    var events = try recorded(five)
    events[1].event.id = Name(String(repeating: "é", count: 64))
    let after = try edited(events, .repeat(2), .repeat(2))
    #expect(after.events.events.count == 7)
    #expect(Set(after.ids).count == 7)
    #expect(after.ids.allSatisfy { $0.byteCount <= eventIDBytesMax })
    #expect(after.notes.map { $0.positions.map(\.position) } == [[4], [3]])
    #expect(after.idsInTime == after.ids)
  }

  @Test("inserted ones go after another one, in their order") func insert() throws {
    let inputs = try ["a", "b"].map { EventInput(event: try event($0, at: 50)) }
    let after = try edited(recorded(five), .insert(inputs, after: 2))
    #expect(after.ids == ["1", "2", "a", "b", "3", "4", "5"])
    #expect(after.idsInTime == after.ids)
    #expect(after.events.steps == Set(1...7))
  }

  @Test("inserted ones go where they say that they occurred") func insertByTime() throws {
    let inputs = [EventInput(event: try event("a", at: 3))]
    let after = try edited(recorded(five), .insert(inputs, after: nil))
    #expect(after.ids == ["1", "2", "3", "a", "4", "5"])
    let known = [EventInput(event: try event("4", at: 3))]
    #expect(
      message { try edited(recorded(five), .insert(known, after: nil)) }
        .contains("has an event with the id 4 already"))
  }

  @Test("what does not exist is refused with what does") func unknown() throws {
    let events = try recorded(five)
    #expect(
      message { try edited(events, .drop(9)) }
        == "There is no event 9: the source has 5 events from 1 to 5.")
    #expect(message { try edited(events, .move(1, after: 8)) }.contains("no event 8"))
    #expect(message { try edited(events, .move(1, after: 1)) }.contains("after itself"))
    #expect(message { try edited(events, .drop(2), .repeat(2)) }.contains("was dropped"))
    var slice = whole(events)
    slice.steps = [2, 5]
    #expect(
      message { try EditedEvents(slice, [.drop(3)]) }
        == "There is no event 3: the source has the events 2, 5.")
  }

  private func event(_ id: String, at second: Int) throws -> Event {
    try recorded([line(id, "note.added", at: second, noteData)])[0].event
  }
}

private let noteData = #","data":{"text":"seen"}"#

@Suite("The difference that an edit makes") struct OutcomeDifferenceTests {
  private func difference(
    _ events: [RecordedEvent], _ edits: ReplayEdit...
  ) throws -> OutcomeDifference {
    let after = try EditedEvents(whole(events), edits)
    return OutcomeDifference(
      from: ReplayHistory(Replay(events)), to: ReplayHistory(Replay(after.events)))
  }

  @Test("is none where nothing was edited", arguments: 1...20) func none(seed: UInt64) throws {
    let events = RecordedEvent.shuffled(Histories.dense(seed: seed), seed: seed)
    #expect(try difference(events).isEmpty)
  }

  @Test("says what is gone, what is new, and what a customer has") func finish() throws {
    let events = try recorded(interruptedPurchase)
    let dropped = try difference(events, .drop(10))
    #expect(dropped.gone.map(\.rule.id) == ["finished-before-download", "undelivered"])
    #expect(dropped.new.isEmpty)
    #expect(dropped.changes.isEmpty)
    let unpaid = try difference(events, .drop(4))
    #expect(unpaid.changes.map(\.subject.kind) == [.entitlement])
    #expect(unpaid.changes.map(\.before?.text) == ["active"])
    #expect(unpaid.changes.map(\.after?.text) == [nil])
  }

  @Test("a finding of a moved event is the same finding") func moved() throws {
    let events = try recorded(interruptedPurchase)
    // Before the newest progress report, the finish is as wrong as after it.
    let moved = try difference(events, .move(10, after: 8))
    #expect(!moved.gone.contains { $0.rule == .finishedBeforeDownload })
    #expect(!moved.new.contains { $0.rule == .finishedBeforeDownload })
  }
}
