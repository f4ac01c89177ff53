import LedgerEvents
import Testing

struct ValidateTests {
  private func event(
    _ type: EventType = EventType(text: "a.b"), _ change: (inout Event) -> Void = { _ in }
  ) -> Event {
    var event = Event(id: "1", type: type, occurredAt: Instant(microseconds: 0))
    change(&event)
    return event
  }

  private func expect(
    _ field: String, _ reason: String, _ type: EventType = EventType(text: "a.b"),
    _ change: (inout Event) -> Void
  ) {
    do {
      try event(type, change).validate()
      Issue.record("was accepted")
    } catch {
      #expect(error.field == field)
      #expect(error.reason.contains(reason), "\(error)")
      #expect(error.line == 0)
      #expect(error.column == 0)
    }
  }

  @Test("a right event passes") func rightEvent() throws {
    try event().validate()
  }

  @Test("names are held to their limits") func namesHeld() {
    let long = Name(String(repeating: "x", count: nameBytesMax + 1))
    expect("id", "is empty") { $0.id = "" }
    expect("id", "129 bytes") { $0.id = Name(String(repeating: "x", count: 129)) }
    expect("source", "is empty") { $0.source = EventSource(text: "") }
    let fields: [(String, WritableKeyPath<Event, Name?>)] = [
      ("app", \.app), ("account", \.account), ("device", \.device), ("session", \.session),
      ("payment", \.payment), ("product", \.product), ("transaction", \.transaction),
      ("originalTransaction", \.originalTransaction), ("download", \.download),
    ]
    for (field, path) in fields {
      expect(field, "is empty") { $0[keyPath: path] = "" }
      expect(field, "513 bytes") { $0[keyPath: path] = long }
    }
  }

  @Test("type, time and sequence are held to their forms") func typeTime() {
    expect("type", "subject.verb", EventType(text: "a")) { _ in }
    expect("type", "subject.verb", EventType(text: "a." + String(repeating: "b", count: 511))) {
      _ in
    }
    expect("occurredAt", "1970 to 9999") { $0.occurredAt = Instant(microseconds: -1) }
    expect("occurredAt", "1970 to 9999") {
      $0.occurredAt = Instant(microseconds: Instant.microsecondsMax + 1)
    }
    expect("sequence", "0 or more") { $0.sequence = -1 }
  }

  @Test("data is held to JSON and to the vocabulary") func dataHeld() {
    func data(_ json: String, name: String = "x") -> EventData {
      EventData(members: [EventData.Member(name: name, json: Array(json.utf8))])
    }
    expect("data.x", "null") { $0.data = data("null") }
    expect("data.x", "expected a value") { $0.data = data("") }
    expect("data.x", "nothing after it") { $0.data = data("1 ") }
    expect("data.x", "expected a value") { $0.data = data(" 1") }
    expect("data.x", "a line feed") { $0.data = data("[1,\n2]") }
    expect("data.x", "appears twice") { $0.data = data(#"{"a":1,"a":2}"#) }
    expect("data.x", "deeper") {
      $0.data = data(String(repeating: "[", count: 31) + String(repeating: "]", count: 31))
    }
    expect("data.x", "UTF-8") {
      $0.data = EventData(members: [EventData.Member(name: "x", json: [0x22, 0xFF, 0x22])])
    }
    expect("data.x", "appears twice") {
      $0.data = EventData(members: [
        EventData.Member(name: "x", json: [0x31]), EventData.Member(name: "x", json: [0x31]),
      ])
    }
    expect("data.progress", "from 0 to 1", EventType(.downloadProgressed)) {
      $0.transaction = "T"
      $0.download = "D"
      $0.data = data("2", name: "progress")
    }
    expect("", "more than the 1048576") {
      $0.data = data("\"" + String(repeating: "x", count: eventSizeBytesMax) + "\"")
    }
  }

  @Test("what a type needs must be there") func typeNeeds() {
    expect("account", "account.erased needs account", EventType(.accountErased)) { _ in }
    expect("transaction", "transaction or payment", EventType(.transactionFailed)) { _ in }
    expect("data.text", "needs data.text", EventType(.noteAdded)) { _ in }
  }
}
