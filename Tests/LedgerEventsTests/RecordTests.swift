import LedgerEvents
import Testing

struct RecordTests {
  @Test(
    "every event comes back from its record and its personal data", arguments: EventKind.allCases)
  func everyEvent(kind: EventKind) throws {
    var samples = SampleEvents(seed: UInt64(kind.rawValue))
    var numbers = NameNumbers()
    for round in 1...100 {
      let event = samples.event(kind)
      try event.validate()
      let recordedAt = samples.instant()
      let record = Record.encode(
        event, position: UInt64(round), recordedAt: recordedAt, numbers: numbers.number(event),
        commitment: samples.chance(50) ? [1, 2, 3] : nil)
      let view = try RecordView(record.span)
      let back = try view.recordedEvent(
        texts: { numbers.use($0)?.name }, personal: event.personalData)
      #expect(back.position == UInt64(round))
      #expect(back.recordedAt == recordedAt)
      #expect(back.event.sameContent(as: event))
      // Values are restored to the byte, not only in content.
      for member in event.data.members where member.name != "to" {
        #expect(back.event.data[member.name] == member.json)
      }
      #expect(back.event.data.members.count == event.data.members.count)
      #expect(back.event.source == event.source)
    }
  }

  @Test("every public field of the vocabulary has a tag") func everyPublic() {
    for rule in Vocabulary.rules {
      for field in rule.fields where !field.isPersonal {
        #expect(RecordTag.allCases.contains { $0.name == field.name }, "\(field.name)")
      }
    }
  }

  @Test("nothing personal enters a record") func nothingPersonal() throws {
    let secret = "SECRET"
    for kind in EventKind.allCases {
      let rule = Vocabulary.rule(kind)
      var data = EventData.Builder()
      for field in rule.fields {
        guard field.isPersonal else { continue }
        if field.name == "error" {
          data.set(
            "error", json: Array(#"{"domain":"D","code":1,"message":"SECRET","x":"SECRET"}"#.utf8))
        } else {
          data.set(field.name, secret)
        }
      }
      data.set("ownMember", secret)
      if let field = rule.field("downloads") {
        data.set(field.name, json: Array(#"[{"download":"d","who":"SECRET"}]"#.utf8))
      }
      if kind == .catalogSet {
        data.set(
          "products", json: Array(#"[{"product":"p","kind":"consumable","who":"SECRET"}]"#.utf8))
      }
      let event = Event(
        id: "id", type: kind == .unknown ? EventType(text: "a.b") : EventType(kind),
        occurredAt: Instant(microseconds: 0), account: Name(secret), device: Name(secret),
        session: Name(secret), data: data.build())
      var numbers = NameNumbers()
      let record = Record.encode(
        event, position: 1, recordedAt: Instant(microseconds: 0), numbers: numbers.number(event))
      let text = String(decoding: record, as: UTF8.self)
      #expect(!text.contains(secret), "\(kind)")
    }
  }

  @Test("a report of progress fits 115 bytes") func reportProgress() throws {
    let line = #"""
      {"id":"018f3c2a-7b10-7cc3-9a1e-0123456789ab","type":"download.progressed",
      "occurredAt":"2024-05-29T03:01:00.003003Z","app":"com.example.reader","account":"A",
      "device":"D","session":"S","sequence":1234,"product":"P","transaction":"T","download":"C",
      "data":{"progress":0.31,"timeRemaining":13.8}}
      """#
    let event = try EventDecoder().decode(
      line: Array(line.utf8.filter { $0 != UInt8(ascii: "\n") })
    ).event
    var numbers = NameNumbers()
    let record = Record.encode(
      event, position: 1, recordedAt: event.occurredAt, numbers: numbers.number(event))
    #expect(record.count == 96)
  }

  @Test("a damaged record is an error and never a trap") func damagedRecord() throws {
    var samples = SampleEvents(seed: 7)
    var numbers = NameNumbers()
    for kind in EventKind.allCases {
      let event = samples.event(kind)
      var record = Record.encode(
        event, position: 9, recordedAt: event.occurredAt, numbers: numbers.number(event))
      guard record.count < 2_000 else { continue }
      for index in record.indices {
        let bit = UInt8(1) << UInt8(samples.below(8))
        record[index] ^= bit
        #expect(throws: RecordError.self) { _ = try RecordView(record.span) }
        // Without the checksum the result can be anything, but there must be no trap.
        do {
          _ = try RecordView(record.span, isChecked: false)
            .event(texts: { numbers.use($0)?.name }, personal: nil)
        } catch { #expect(error.code == .damaged || error.code == .unknownVersion) }
        record[index] ^= bit
      }
      for count in 0..<record.count {
        #expect(throws: RecordError.self) {
          _ = try RecordView(record.span.extracting(0..<count))
        }
      }
    }
  }

  @Test("a newer format is refused by name") func newerFormat() {
    var record = [UInt8](repeating: 0, count: 64)
    record[0] = Record.formatVersion + 1
    do {
      _ = try RecordView(record.span)
      Issue.record("was read")
    } catch {
      #expect(error.code == .unknownVersion)
      #expect(error.message.contains("format \(Record.formatVersion + 1)"))
    }
  }

  @Test("an erased name and erased personal data leave their fields out") func erasedName() throws {
    var data = EventData.Builder()
    data.set("to", "B")
    data.set("reason", "asked for it")
    let event = Event(
      id: "1", type: EventType(.accountLinked), occurredAt: Instant(microseconds: 5), account: "A",
      data: data.build())
    var numbers = NameNumbers()
    let record = Record.encode(
      event, position: 1, recordedAt: event.occurredAt, numbers: numbers.number(event))
    let back = try RecordView(record.span).event(texts: { _ in nil }, personal: nil)
    #expect(back.account == nil)
    #expect(back.data.isEmpty)
  }
}
