import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceAccess
import Testing

@testable import LedgerService

/// What a recorder sent, and what it was answered, as its own sources have it.
struct UploadAnswer {
  let status: Int
  let body: [UInt8]

  init(_ reply: Reply) { (status, body) = (reply.status, Array(reply.body.utf8)) }
}

struct SpooledLine {
  let serial: UInt64
  let line: [UInt8]
}

/// Events that arrive over HTTP.
@Suite("An append over HTTP") struct ServiceAppendTests {
  /// Good lines, with bad ones between them.
  private static let mixed = [
    Line.note("a"), #"{"id":"b","type""#, Line.note("c"), "",
    #"{"id":"d","type":"note.added","occurredAt":"yesterday","data":{"text":"x"}}"#,
    #"{"type":"note.added","occurredAt":"2026-02-01T12:00:00Z","data":{"text":"x"}}"#,
    Line.note("g"),
  ]

  @Test("takes the good lines, and says of each bad one what is wrong with it")
  func lineByLine() async throws {
    try await ServiceBench.run { bench in
      let reply = try await bench.append(Self.mixed)
      #expect(reply.status == 400)
      #expect(reply.headers[.contentType] == "application/x-ndjson")
      #expect(reply.header("Daybook-Position") == "3")
      let answers = try reply.objects()
      #expect(answers.map { $0["line"] as? Int } == [1, 2, 3, 5, 6, 7])
      #expect(answers.map { $0["position"] as? Int } == [1, nil, 2, nil, nil, 3])
      #expect(answers.map { $0["id"] as? String } == ["a", nil, "c", "d", nil, "g"])
      #expect(
        answers.map { $0["status"] as? String } == [
          "appended", "rejected", "appended", "rejected", "rejected", "appended",
        ])
      #expect(answers[1]["column"] is Int)
      #expect(answers[3]["field"] as? String == "occurredAt")
      for answer in [answers[1], answers[3], answers[4]] {
        #expect((answer["refused"] as? String)?.isEmpty == false)
      }
      let events = try await bench.get("/v1/events?format=jsonl").objects()
      #expect(events.map { $0["id"] as? String } == ["a", "c", "g"])
    }
  }

  @Test("answers with one document if that is what is accepted") func document() async throws {
    try await ServiceBench.run { bench in
      let reply = try await bench.append(Self.mixed, headers: ["Accept": "application/json"])
      let object = try reply.object()
      #expect(object["appended"] as? Int == 3)
      #expect(object["rejected"] as? Int == 3)
      #expect(object["duplicates"] as? Int == 0)
      #expect(object["firstPosition"] as? Int == 1)
      #expect(object["lastPosition"] as? Int == 3)
      #expect((object["events"] as? [[String: Any]])?.count == 6)
    }
  }

  @Test("atomic, takes everything or nothing") func atomic() async throws {
    try await ServiceBench.run { bench in
      let refused = try await bench.append(Self.mixed, query: "?atomic=true")
      #expect(refused.status == 400)
      #expect(refused.problem == "invalid-event")
      let errors = try #require(try refused.object()["errors"] as? [[String: Any]])
      #expect(errors.map { $0["line"] as? Int } == [2, 5, 6])
      #expect(try bench.lastPosition() == 0)
      let taken = try await bench.append([Line.note("a"), Line.note("c")], query: "?atomic")
      #expect(taken.status == 200)
      #expect(try taken.objects().map { $0["position"] as? Int } == [1, 2])
      let other = Line.note("c").replacing("seen", with: "not seen")
      let conflict = try await bench.append([Line.note("e"), other], query: "?atomic=true")
      #expect(conflict.status == 409)
      #expect(conflict.problem == "conflict")
      let error = try #require((try conflict.object()["errors"] as? [[String: Any]])?.first)
      #expect(error["line"] as? Int == 2)
      #expect(error["id"] as? String == "c")
      #expect(try bench.lastPosition() == 2)
    }
  }

  @Test("takes an event once, and refuses another one with its id") func duplicates() async throws {
    try await ServiceBench.run { bench in
      _ = try await bench.append([Line.note("a"), Line.note("b")])
      let again = try await bench.append([Line.note("b"), Line.note("c"), Line.note("c")])
      #expect(again.status == 200)
      let answers = try again.objects()
      #expect(answers.map { $0["status"] as? String } == ["duplicate", "appended", "duplicate"])
      #expect(answers.map { $0["position"] as? Int } == [2, 3, 3])
      let other = Line.note("a").replacing("seen", with: "not seen")
      let conflict = try await bench.append([other, Line.note("d")])
      #expect(conflict.status == 409)
      let lines = try conflict.objects()
      #expect(lines.map { $0["status"] as? String } == ["rejected", "appended"])
      #expect(lines[0]["id"] as? String == "a")
      // The other line was appended, and the reason says nothing about it.
      #expect((lines[0]["refused"] as? String)?.hasSuffix(": give this event a new id.") == true)
      #expect(lines[1]["position"] as? Int == 4)
      let both = try await bench.append([other, "{}"])
      #expect(both.status == 422, "refused for different reasons")
    }
  }

  @Test("is read by a recorder as it is meant") func recorder() async throws {
    try await ServiceBench.run { bench in
      _ = try await bench.append([Line.note("known"), Line.note("taken")])
      let sent = [
        Line.note("a"), Line.note("known"), Line.note("taken").replacing("seen", with: "other"),
        #"{"id":"bad","type":"note.added"}"#, Line.note("z"),
      ]
      let spooled = sent.enumerated().map {
        SpooledLine(serial: UInt64($0.offset), line: Array($0.element.utf8))
      }
      let reply = try await bench.append(sent)
      #expect(reply.status == 422)
      let reading = AnswerReading(UploadAnswer(reply), to: spooled)
      #expect(reading.acknowledged == [0, 1, 4])
      #expect(reading.refused.keys.sorted() == [2, 3])
      // A single reason has its own status, and a recorder takes each of them for a verdict.
      let conflict = AnswerReading(
        UploadAnswer(try await bench.append([sent[2]])), to: [spooled[2]])
      #expect(conflict.refused.keys.sorted() == [2])
      let invalid = AnswerReading(
        UploadAnswer(try await bench.append([sent[3]])), to: [spooled[3]])
      #expect(invalid.refused.keys.sorted() == [3])
      // A refused request says nothing about its events.
      let typeless = AnswerReading(
        UploadAnswer(try await bench.post(sent[0], as: "text/plain")), to: spooled)
      #expect(typeless == AnswerReading())
    }
  }

  @Test("of an unknown type near a known one is refused, unless it is meant")
  func unknownTypes() async throws {
    try await ServiceBench.run { bench in
      let near = Line.purchase("t1", of: "ada").replacing("purchased", with: "purchasd")
      let far = Line.purchase("t2", of: "ada").replacing(
        "transaction.purchased", with: "tea.brewed")
      let refused = try await bench.append([near, far])
      #expect(refused.status == 400)
      let answers = try refused.objects()
      #expect(answers.map { $0["status"] as? String } == ["rejected", "appended"])
      #expect(answers[0]["field"] as? String == "type")
      #expect((answers[0]["refused"] as? String)?.contains("transaction.purchased") == true)
      let taken = try await bench.append([near], query: "?allowUnknown=true")
      #expect(taken.status == 200)
      #expect(try taken.objects()[0]["position"] as? Int == 2)
    }
  }

  @Test("states the environment of events that state none") func environment() async throws {
    try await ServiceBench.run { bench in
      _ = try await bench.append([Line.note("a")], query: "?environment=sandbox")
      let event = try await bench.get("/v1/events/1").object()
      #expect(event["environment"] as? String == "sandbox")
      #expect(
        try await bench.append([Line.note("b")], query: "?environment=moon").problem
          == "bad-request")
    }
  }

  // MARK: - Bodies that are not taken

  @Test("that is too large is refused, with and without a stated length") func tooLarge()
    async throws
  {
    try await ServiceBench.run { bench in
      let body = ByteBuffer(repeating: 0x20, count: ServiceLimits.bodyBytesMax + 1)
      for statesLength in [true, false] {
        let reply = try await Reply(
          try await bench.response(
            .post, "/v1/events", headers: ["Content-Type": "application/x-ndjson"], body: body,
            statesLength: statesLength))
        #expect(reply.status == 413)
        #expect(reply.problem == "too-large")
      }
      let many = String(repeating: "{}\n", count: AppendBody.eventsMax + 1)
      #expect(try await bench.post(many, as: "application/x-ndjson").problem == "too-large")
      let fewer = String(repeating: "{}\n", count: AppendBody.eventsMax)
      #expect(try await bench.post(fewer, as: "application/x-ndjson").lines.count == 10_000)
    }
  }

  @Test("that is empty, or of another type, is refused") func otherBodies() async throws {
    try await ServiceBench.run { bench in
      for body in ["", "\n", " \r\n\t\n"] {
        #expect(try await bench.post(body, as: "application/x-ndjson").problem == "bad-request")
      }
      for type in [nil, "", "text/plain", "application/xml", "application/jsonlines+x"] {
        let reply = try await bench.post(Line.note("a"), as: type)
        #expect(reply.status == 415)
        #expect(reply.problem == "unsupported-media-type")
      }
      #expect(try await bench.post("", as: "application/json").problem == "invalid-event")
      #expect(try bench.lastPosition() == 0)
      for (number, type) in ["application/jsonl", "Application/X-NDJSON; charset=utf-8"]
        .enumerated()
      {
        #expect(try await bench.post(Line.note("\(number)"), as: type).status == 200)
      }
      let pretty = Line.note("p").replacing(",", with: ",\n  ")
      let one = try await bench.post(pretty, as: "application/json")
      #expect(one.status == 200)
      #expect(try one.object()["lastPosition"] as? Int == 3)
      #expect(
        try await bench.append([Line.note("a")], query: "?atomc=true").problem == "bad-request")
    }
  }
}

/// A request that is sent again because its answer was lost.
@Suite("An append with an idempotency key") struct ServiceIdempotencyTests {
  private static let nameless = [
    #"{"type":"session.started","occurredAt":"2026-02-01T12:00:00Z","device":"d"}"#,
    #"{"type":"session.ended","occurredAt":"2026-02-01T12:00:01Z","device":"d"}"#,
  ]

  @Test("gives the same positions again") func again() async throws {
    try await ServiceBench.run { bench in
      let key = ["Idempotency-Key": "\"0b5a-1\""]
      let first = try await bench.append(Self.nameless, headers: key)
      #expect(first.status == 200)
      #expect(try first.objects().map { $0["position"] as? Int } == [1, 2])
      for spelled in ["\"0b5a-1\"", "0b5a-1"] {
        let again = try await bench.append(Self.nameless, headers: ["Idempotency-Key": spelled])
        #expect(again.status == 200)
        #expect(try again.objects().map { $0["position"] as? Int } == [1, 2])
        #expect(
          try again.objects().map { $0["id"] as? String }
            == first.objects().map { $0["id"] as? String })
      }
      let other = try await bench.append(Self.nameless, headers: ["Idempotency-Key": "0b5a-2"])
      #expect(try other.objects().map { $0["position"] as? Int } == [3, 4])
    }
  }

  @Test("refuses other content under the same key") func otherContent() async throws {
    try await ServiceBench.run { bench in
      let key = ["Idempotency-Key": "k"]
      _ = try await bench.append(Self.nameless, headers: key)
      let other = try await bench.append(Self.nameless.reversed(), headers: key)
      #expect(other.status == 409)
      #expect(try other.objects().allSatisfy { $0["status"] as? String == "rejected" })
      #expect(try bench.lastPosition() == 2)
    }
  }

  @Test("leaves events that state an id alone, and refuses a key that is none") func stated()
    async throws
  {
    try await ServiceBench.run { bench in
      let lines = [Line.note("mine"), Self.nameless[0]]
      let reply = try await bench.append(lines, headers: ["Idempotency-Key": "k"])
      #expect(reply.status == 200)
      #expect(try reply.objects()[0]["id"] as? String == "mine")
      for key in ["\"\"", String(repeating: "k", count: 256)] {
        let refused = try await bench.append(lines, headers: ["Idempotency-Key": key])
        #expect(refused.problem == "bad-request")
      }
      #expect(try await bench.append([Self.nameless[0]]).status == 400, "no key and no id")
    }
  }

  @Test("does not meet the same key of another token") func tokens() async throws {
    try await ServiceBench.run(.guarded) { bench in
      let one = try bench.token("one", [.append])
      let two = try bench.token("two", [.append])
      let key = ["Idempotency-Key": "k"]
      let first = try await bench.append([Self.nameless[0]], headers: key, token: one)
      let second = try await bench.append([Self.nameless[1]], headers: key, token: two)
      #expect(first.status == 200)
      #expect(second.status == 200)
      #expect(try second.objects()[0]["position"] as? Int == 2)
      let again = try await bench.append([Self.nameless[0]], headers: key, token: one)
      #expect(try again.objects()[0]["position"] as? Int == 1)
    }
  }
}
