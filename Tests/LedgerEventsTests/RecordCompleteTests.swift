import LedgerEvents
import Testing

@Suite("A record that is made ahead")
struct RecordCompleteTests {
  private func events() -> [Event] {
    let link = EventData(members: [EventData.Member(name: "to", json: Array("\"b\"".utf8))])
    let products = (0..<200).map { "{\"product\":\"p\($0)\",\"kind\":\"consumable\"}" }
    let catalog = EventData(members: [
      EventData.Member(name: "products", json: Array("[\(products.joined(separator: ","))]".utf8))
    ])
    let at = Instant(microseconds: 1_600_000_000_000_000)
    return [
      Event(id: "plain", type: EventType(.contentPurged), occurredAt: at),
      Event(
        id: "018f6f2e-3b7a-7c11-9f00-0123456789ab", type: EventType(.downloadFinished),
        occurredAt: at, app: "app", account: "a", device: "d", sequence: 7, transaction: "t",
        download: "c"),
      Event(id: "link", type: EventType(.accountLinked), occurredAt: at, account: "a", data: link),
      Event(id: "catalog", type: EventType(.catalogSet), occurredAt: at, app: "x", data: catalog),
    ]
  }

  @Test("becomes, once completed, what it would have been if made at once")
  func completes() {
    for event in events() {
      let count = event.nameUses.count
      let numbers = (0..<count).map { NameNumber($0 * 70_000 + 9) }
      let commitment = [UInt8](repeating: 3, count: 32)
      let now = Instant(microseconds: 1_700_000_000_123_456)
      let whole = Record.encode(
        event, position: 4_000_000_000, recordedAt: now, numbers: numbers, namesBefore: 77_000,
        commitment: commitment)
      var bytes: [UInt8] = [1, 2, 3]
      Record.append(
        event, position: 0, recordedAt: Instant(microseconds: 0),
        numbers: [NameNumber](repeating: 0, count: count), commitment: commitment,
        isSummed: false, to: &bytes)
      Record.complete(
        &bytes, from: 3, position: 4_000_000_000, recordedAt: now, namesBefore: 77_000,
        numbers: numbers)
      #expect(bytes == [1, 2, 3] + whole, "\(event.type.text)")
    }
  }
}
