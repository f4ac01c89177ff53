import LedgerEvents
import LedgerHistories
import LedgerQueries
import Testing

@testable import Replay

/// Returns JSON Lines as a replay reads them: positions from 1, recorded when they occurred.
func recorded(_ lines: [String]) throws -> [RecordedEvent] {
  try lines.enumerated().map { index, line in
    let input = try EventDecoder().decode(line: Array(line.utf8), number: index + 1)
    return RecordedEvent(
      position: UInt64(index + 1), recordedAt: input.recordedAt ?? input.event.occurredAt,
      event: input.event)
  }
}

/// Returns a line with an event at a second of one day.
func line(_ id: String, _ type: String, at second: Int, _ more: String = "") -> String {
  let time =
    "2026-02-01T12:\(second / 60 < 10 ? "0" : "")\(second / 60):"
    + "\(second % 60 < 10 ? "0" : "")\(second % 60)Z"
  return #"{"id":"\#(id)","type":"\#(type)","occurredAt":"\#(time)"\#(more)}"#
}

/// A purchase with one download, a pause, a killed app, and a finish that comes too early.
let interruptedPurchase: [String] = {
  let device = #","account":"ada","device":"phone""#
  let transaction = device + #","transaction":"t1""#
  let download = transaction + #","download":"map""#
  return [
    line("1", "session.started", at: 0, device),
    line("2", "payment.added", at: 1, device + #","payment":"p1","product":"alps""#),
    line("3", "transaction.purchasing", at: 2, device + #","payment":"p1","product":"alps""#),
    line(
      "4", "transaction.purchased", at: 3,
      transaction + #","payment":"p1","product":"alps","data":{"downloads":"#
        + #"[{"download":"map","contentVersion":"1.0"}]}"#),
    line("5", "download.requested", at: 4, download),
    line("6", "download.progressed", at: 5, download + #","data":{"progress":0.25}"#),
    line("7", "download.paused", at: 6, download + #","data":{"progress":0.25}"#),
    line("8", "session.started", at: 600, device),
    line("9", "download.progressed", at: 601, download + #","data":{"progress":0.5}"#),
    line("10", "transaction.finished", at: 602, transaction),
    line("11", "session.ended", at: 603, device),
  ]
}()

func timeline(_ events: [RecordedEvent]) -> Timeline {
  let slice = ReplayEvents(events: events, steps: Set(events.map(\.position)))
  return Timeline(ReplayHistory(Replay(slice)), events: slice)
}

@Suite("A timeline") struct TimelineTests {
  private func phases(_ timeline: Timeline, _ subject: Timeline.Subject) throws -> [String] {
    let lane = try #require(timeline.lanes.first { $0.subject == subject })
    return lane.points.map { point in
      "\(point.step + 1) \(point.phase)" + (point.progress.map { " \($0)" } ?? "")
    }
  }

  @Test("has a lane for each device, below it its transactions, and below these their downloads")
  func lanes() throws {
    let other = #","device":"tablet","transaction":"t2","product":"alps""#
    let lines = interruptedPurchase + [line("12", "transaction.purchased", at: 700, other)]
    let timeline = timeline(try recorded(lines))
    #expect(
      timeline.lanes.map(\.subject) == [
        .device("phone"), .transaction(.production, "t1"),
        .download(.production, transaction: "t1", download: "map", device: "phone"),
        .device("tablet"), .transaction(.production, "t2"),
      ])
    #expect(timeline.laneOfStep == [0, 1, 1, 1, 2, 2, 2, 0, 2, 1, 0, 4])
  }

  @Test("shows a launch without an end before it as a kill") func kill() throws {
    let timeline = timeline(try recorded(interruptedPurchase))
    #expect(
      try phases(timeline, .device("phone")) == [
        "1 running", "7 killed", "8 running", "11 ended",
      ])
  }

  @Test("shows no kill where the app ended") func noKill() throws {
    let lines = [
      line("1", "session.started", at: 0, #","device":"phone""#),
      line("2", "session.backgrounded", at: 1, #","device":"phone""#),
      line("3", "session.foregrounded", at: 2, #","device":"phone""#),
      line("4", "session.ended", at: 3, #","device":"phone""#),
      line("5", "session.started", at: 4, #","device":"phone""#),
    ]
    #expect(
      try phases(timeline(recorded(lines)), .device("phone")) == [
        "1 running", "2 background", "3 running", "4 ended", "5 running",
      ])
  }

  @Test("shows progress, pauses, and what a finish cancels") func download() throws {
    let timeline = timeline(try recorded(interruptedPurchase))
    let download = Timeline.Subject.download(
      .production, transaction: "t1", download: "map", device: "phone")
    #expect(
      try phases(timeline, download) == [
        "4 announced", "5 requested", "6 active 0.25", "7 paused 0.25", "9 active 0.5",
        "10 cancelled",
      ])
    #expect(
      try phases(timeline, .transaction(.production, "t1")) == [
        "2 seen", "3 purchasing", "4 open", "10 finished",
      ])
  }

  @Test("is the same in whatever order the events came", arguments: 1...30)
  func order(seed: UInt64) {
    let events = Histories.dense(seed: seed)
    let inTime = events.sorted { $0.foldKey < $1.foldKey }.enumerated().map {
      RecordedEvent(
        position: UInt64($0 + 1), recordedAt: $1.recordedAt, event: $1.event)
    }
    let shuffled = RecordedEvent.shuffled(events, seed: seed)
    #expect(Drawn(timeline(shuffled), shuffled) == Drawn(timeline(inTime), inTime))
  }
}

/// A timeline, by the ids of its events.
private struct Drawn: Equatable {
  struct Lane: Equatable {
    var subject: Timeline.Subject
    var points: [String]
  }

  var lanes: [Lane]
  var order: [Name]
  var laneOfEvent: [Name: Timeline.Subject] = [:]

  init(_ timeline: Timeline, _ events: [RecordedEvent]) {
    lanes = timeline.lanes.map { lane in
      Lane(
        subject: lane.subject,
        points: lane.points.map { point in
          "\(events[point.step].event.id) \(point.phase) \(String(describing: point.progress))"
        })
    }
    order = timeline.order.map { events[$0].event.id }
    for (step, lane) in timeline.laneOfStep.enumerated() {
      laneOfEvent[events[step].event.id] = timeline.lanes[lane].subject
    }
  }
}
