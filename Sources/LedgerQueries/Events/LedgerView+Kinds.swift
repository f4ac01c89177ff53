public import LedgerEvents
public import LedgerModel
public import LedgerStore

extension LedgerView {
  /// Passes the events of some kinds to `body` by position, as known at the clocks. Stops when
  /// `body` returns false.
  ///
  /// - Complexity: O(*n*) in the positions, one byte each; only events of these kinds are decoded.
  /// - Throws: ``LedgerError``, and what `body` throws.
  public func events(
    ofKinds kinds: Set<EventKind>, clocks: Clocks = .now,
    _ body: (RecordedEvent, EventFoldKey) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    let end = try lastPosition(clocks)
    guard end > 0 else { return }
    var cursor = try log.records(in: 1...end)
    while try cursor.next() {
      let header = try cursor.record(isChecked: false)
      guard kinds.contains(header.kind) else { continue }
      if let at = clocks.at, header.believedAt > at { continue }
      let recorded = try log.event(of: try cursor.record())
      if try !body(recorded, EventFoldKey(recorded)) { return }
    }
  }
}
