package import LedgerEvents
package import LedgerQueries

/// What changed between two moments of one of the clocks.
package struct DiffQuestion: Sendable {
  /// The beginning: a moment of the ledger, or with `asOf` of the store.
  package var from: Clocks.LedgerTime
  /// The end; `nil` for the end of the ledger, or with `asOf` for the present.
  package var to: Clocks.LedgerTime?
  /// The store time at which both sides are judged.
  package var at: Instant?
  /// The ledger time that both sides share; then they differ in store time.
  package var asOf: Clocks.LedgerTime?

  /// - Parameters:
  ///   - from: The beginning.
  ///   - to: The end.
  ///   - at: The store time of both sides.
  ///   - asOf: The ledger time of both sides.
  package init(
    from: Clocks.LedgerTime, to: Clocks.LedgerTime?, at: Instant?, asOf: Clocks.LedgerTime?
  ) {
    self.from = from
    self.to = to
    self.at = at
    self.asOf = asOf
  }

  /// The clocks of both sides: one clock differs between them, and the other is the same.
  ///
  /// - Parameter view: The ledger.
  package func sides(_ view: LedgerView) -> (Clocks, Clocks) {
    guard let asOf else {
      return (Clocks(at: at, asOf: from), Clocks(at: at, asOf: to ?? .position(view.position)))
    }
    var sides = (Clocks(asOf: asOf), Clocks(asOf: asOf))
    if case .instant(let time) = from { sides.0.at = time }
    if case .instant(let time)? = to { sides.1.at = time }
    return sides
  }

  /// The beginning and the end if the beginning is later; otherwise `nil`. Ends on ledger time are
  /// positions, also where times were named.
  ///
  /// - Parameter view: The ledger, which finds the position of a time.
  /// - Throws: `LedgerError`.
  package func turned(
    _ view: LedgerView
  ) throws(LedgerError) -> (from: Clocks.LedgerTime, to: Clocks.LedgerTime)? {
    guard asOf == nil else {
      guard case .instant(let first) = from, case .instant(let last)? = to, last < first else {
        return nil
      }
      return (from, .instant(last))
    }
    let first = try view.position(from)
    let last = try view.position(to ?? .position(view.position))
    return first > last ? (.position(first), .position(last)) : nil
  }
}
