import LedgerEvents
import Testing

@Suite("The entry of a leaf") struct LeafEntryTests {
  private static let commitment = (0..<32).map { UInt8($0) }

  /// Returns a purchase that introduces the names 4 to 7.
  private func entry() -> [UInt8] {
    let event = Event(
      id: "p1", type: EventType(.transactionPurchased), occurredAt: Instant(microseconds: 5),
      app: "app", account: "ada", device: "phone", product: "atlas", transaction: "t")
    let record = Record.encode(
      event, position: 9, recordedAt: Instant(microseconds: 6), numbers: [4, 2, 5, 6, 7],
      namesBefore: 3)
    var bytes: [UInt8] = []
    LeafEntry.append(record.span, to: &bytes)
    Introduction.append(.app, text: Array("app".utf8).span, to: &bytes)
    Introduction.append(.device, commitment: Self.commitment.span, to: &bytes)
    Introduction.append(.product, text: Array("atlas".utf8).span, to: &bytes)
    Introduction.append(.transaction, text: Array("t".utf8).span, to: &bytes)
    return bytes
  }

  @Test("says what its record introduces") func reads() throws {
    let bytes = entry()
    let entry = try LeafEntry(bytes.span)
    #expect(entry.introductions.map(\.number) == [4, 5, 6, 7])
    #expect(entry.introductions.map(\.kind) == [.app, .device, .product, .transaction])
    #expect(entry.introductions[0].content == .text("app"))
    #expect(entry.introductions[1].content == .commitment(Self.commitment))
    let view = try RecordView(entry.record.span)
    #expect(view.introducedNumbers == 4..<8)
    #expect(view.namesAfter == 7)
  }

  @Test("is read whole or not at all") func cut() {
    let bytes = entry()
    for count in 0..<bytes.count {
      let part = Array(bytes[..<count])
      #expect(throws: RecordError.self, "\(count) bytes") { try LeafEntry(part.span) }
    }
    let longer = bytes + [0]
    #expect(throws: RecordError.self) { try LeafEntry(longer.span) }
  }

  @Test("never traps, whatever its bytes are") func hostile() {
    let bytes = entry()
    var read = 0
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << UInt8(bit)
        if case .success = (Result { try LeafEntry(changed.span) }) { read += 1 }
      }
    }
    // Texts and commitments may differ.
    #expect(read > 0 && read < bytes.count * 8)
  }
}
