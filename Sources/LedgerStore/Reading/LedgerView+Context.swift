internal import LedgerEvents
package import LedgerModel

extension LedgerView {
  /// The fold context of everything that the ledger knows.
  package var context: SharedContext { reader.overlay.context }

  /// The fold context at the clocks.
  ///
  /// - Complexity: O(1) for `.now`, otherwise O(*n* log *n*) in the facts that it is made from.
  package func context(at clocks: Clocks) throws(LedgerError) -> SharedContext {
    if clocks.reachAll { return context }
    let context = SharedContext(of: try contextFacts(at: clocks), texts: texts)
    try texts.check()
    return context
  }
}
