internal import LedgerEvents
internal import LedgerStore

extension EventDisclosure {
  /// An event made from an entry and what the entries under one root commit to.
  struct Rebuilt {
    let event: RecordedEvent
    let line: [UInt8]
    let withheld: [String]
  }

  /// Makes the event anew.
  func rebuilt(
    at position: UInt64, under checkpoint: SignedCheckpoint
  ) throws(ProofError) -> Rebuilt {
    let texts = Dictionary(names.map { ($0.number, $0.text) }) { first, _ in first }
    do throws(RecordError) {
      let record = try RecordView(entry.span)
      let event = try record.recordedEvent(texts: { texts[$0] }, personal: nil)
      return Rebuilt(event: event, line: EventEncoder().encode(event), withheld: [])
    } catch {
      throw .malformed("\(error)")
    }
  }
}
