internal import LedgerModel
internal import LedgerStore

extension LedgerView {
  /// The ledger at clocks that ask about the past, folded in memory; `nil` if they ask about now.
  ///
  /// - Complexity: As `inMemoryLedger(at:)`.
  func pastLedger(at clocks: Clocks) throws(LedgerError) -> InMemoryLedger? {
    clocks.reachAll ? nil : try inMemoryLedger(at: clocks)
  }

  /// Passes every unit of `past`, or of the current ledger if it is `nil`, to `body`, one by one.
  /// Stops when `body` returns false.
  ///
  /// - Complexity: O(*n*) in the size of all units, of which one is in memory at a time.
  func eachUnit(
    of past: InMemoryLedger?, _ body: (Unit) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    if let past {
      for unit in past.units {
        guard try body(unit) else { return }
      }
      return
    }
    var walk = try units()
    while let unit = try walk.next() {
      guard try body(unit) else { return }
    }
  }
}
