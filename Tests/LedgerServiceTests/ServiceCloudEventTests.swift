import Foundation
import Testing

/// Events in envelopes of CloudEvents 1.0.
@Suite("A CloudEvent") struct ServiceCloudEventTests {
  private static let single = "application/cloudevents+json"
  private static let batch = "application/cloudevents-batch+json"

  private static func envelope(
    _ id: String, more: String = "", data: String = #"{"transaction":"t1","product":"map"}"#
  ) -> String {
    #"{"specversion":"1.0","id":"\#(id)","type":"transaction.purchased","source":"/shop","#
      + #""time":"2026-02-01T12:00:00Z"\#(more),"data":\#(data)}"#
  }

  @Test("becomes an event whose envelope gives id, type, time and account") func structured()
    async throws
  {
    try await ServiceBench.run { bench in
      let reply = try await bench.post(
        Self.envelope("c1", more: #","subject":"ada","partitionkey":"p""#), as: Self.single)
      #expect(reply.status == 200)
      #expect(try reply.object()["lastPosition"] as? Int == 1)
      let event = try await bench.get("/v1/events/1").object()
      #expect(event["id"] as? String == "c1")
      #expect(event["type"] as? String == "transaction.purchased")
      #expect((event["occurredAt"] as? String)?.hasPrefix("2026-02-01T12:00:00") == true)
      #expect(event["account"] as? String == "ada")
      #expect(event["transaction"] as? String == "t1")
      let kept = (event["data"] as? [String: Any])?["cloudEvent"] as? [String: Any]
      #expect(kept?["source"] as? String == "/shop")
      #expect(kept?["partitionkey"] as? String == "p")
      let again = try await bench.post(
        Self.envelope("c1", more: #","subject":"ada","partitionkey":"p""#), as: Self.single)
      #expect(try again.object()["duplicates"] as? Int == 1)
    }
  }

  @Test("comes in batches, of which the good ones are taken") func batches() async throws {
    try await ServiceBench.run { bench in
      let body = [
        Self.envelope("c1"), Self.envelope("c2").replacing("\"1.0\"", with: "\"0.3\""), "3",
        Self.envelope("c4"),
      ].joined(separator: ",")
      let reply = try await bench.post("[\(body)]", as: Self.batch)
      #expect(reply.status == 400)
      let events = try #require(try reply.object()["events"] as? [[String: Any]])
      #expect(
        events.map { $0["status"] as? String } == ["appended", "rejected", "rejected", "appended"])
      #expect(events.map { $0["line"] as? Int } == [1, 2, 3, 4])
      #expect(try await bench.post("{}", as: Self.batch).problem == "invalid-event")
      #expect(try await bench.post("[]", as: Self.batch).problem == "bad-request")
    }
  }

  @Test("comes in headers, too") func binary() async throws {
    try await ServiceBench.run { bench in
      let headers = [
        "ce-specversion": "1.0", "ce-id": "c1", "ce-type": "transaction.purchased",
        "ce-time": "2026-02-01T12:00:00Z", "ce-source": "/shop", "ce-subject": "Zo%C3%AB",
      ]
      let body = #"{"transaction":"t1","product":"map"}"#
      let reply = try await bench.post(body, as: "application/json", headers: headers)
      #expect(reply.status == 200)
      let event = try await bench.get("/v1/events/1").object()
      #expect(event["id"] as? String == "c1")
      #expect(event["account"] as? String == "Zoë")
      var old = headers
      old["ce-specversion"] = "0.3"
      let refused = try await bench.post(body, as: "application/json", headers: old)
      #expect(refused.status == 400)
      let events = try #require(try refused.object()["events"] as? [[String: Any]])
      #expect(events[0]["status"] as? String == "rejected")
    }
  }

  @Test("that contradicts its data is refused", arguments: ["id", "type", "occurredAt"])
  func contradiction(field: String) async throws {
    try await ServiceBench.run { bench in
      let agreeing = [
        "id": "c1", "type": "transaction.purchased", "occurredAt": "2026-02-01T13:00:00+01:00",
      ]
      let other = [
        "id": "c2", "type": "transaction.restored", "occurredAt": "2026-02-01T12:00:01Z",
      ]
      func body(_ value: String) -> String {
        Self.envelope("c1", data: #"{"transaction":"t1","product":"map","\#(field)":"\#(value)"}"#)
      }
      let refused = try await bench.post(body(try #require(other[field])), as: Self.single)
      #expect(refused.status == 400)
      let events = try #require(try refused.object()["events"] as? [[String: Any]])
      #expect((events[0]["refused"] as? String)?.contains("“\(field)”") == true)
      #expect(try bench.lastPosition() == 0)
      let taken = try await bench.post(body(try #require(agreeing[field])), as: Self.single)
      #expect(taken.status == 200, "\(taken.body)")
    }
  }

  @Test("without data, or with bytes in place of it, is refused") func otherData() async throws {
    try await ServiceBench.run { bench in
      for body in [
        Self.envelope("c1", data: "3"), Self.envelope("c1", data: "[]"),
        #"{"specversion":"1.0","id":"c1","type":"note.added","source":"/s","data_base64":"e30="}"#,
        #"{"specversion":"1.0","id":"c1","type":"note.added","source":"/s"}"#,
        Self.envelope("c1").replacing("\"c1\"", with: "1"),
      ] {
        let reply = try await bench.post(body, as: Self.single)
        #expect(reply.status == 400, "\(body)")
      }
      #expect(try bench.lastPosition() == 0)
    }
  }

  @Test("in a batch is counted before one is read") func counted() async throws {
    try await ServiceBench.run { bench in
      // What comes after too many is not even JSON.
      let many = "[" + String(repeating: "{},", count: 10_001) + "no json"
      #expect(try await bench.post(many, as: Self.batch).problem == "too-large")
      let large = "[" + String(repeating: "1,", count: 2 << 20) + "1]"
      for (body, type) in [
        (large, Self.single), ("[\(large)]", Self.batch), (large, "application/json"),
      ] {
        #expect(try await bench.post(body, as: type).problem == "too-large", "\(type)")
      }
      for body in [
        "", " ", "[", "[{}", "[{},", "[{}] x", "[\"]", "{}", "[{},]", "[,{}]", "[{} {}]",
      ] {
        let reply = try await bench.post(body, as: Self.batch)
        #expect(reply.problem == "invalid-event", "\(body): \(reply.body)")
      }
      #expect(try await bench.post(" [ ] ", as: Self.batch).problem == "bad-request")
      let tricky = Self.envelope("c1", more: #","x":"],[\"\\""#)
      let taken = try await bench.post(
        "\n[ \(tricky) ,\t\(Self.envelope("c2"))\r\n] ", as: Self.batch)
      #expect(taken.status == 200, "\(taken.body)")
      #expect(try bench.lastPosition() == 2)
    }
  }
}
