internal import LedgerEvents
package import LedgerModel

extension LedgerView {
  /// The fold context of everything that the ledger knows.
  package var context: SharedContext { reader.overlay.context }

  /// The fold context at the clocks.
  ///
  /// - Complexity: O(1) now, else O(*n* log *n*) in the facts that it rests on.
  package func context(at clocks: Clocks) throws(LedgerError) -> SharedContext {
    clocks.reachAll ? context : try inMemoryLedger(of: [], at: clocks).context
  }

  /// The fold context at the clocks, which knows those of the environments asked for that an
  /// event up to then states.
  ///
  /// What is kept at hand is the event by which the ledger learned of an environment. In store time
  /// another one may be the first to state it.
  ///
  /// - Complexity: as ``context(at:)``; O(*n*) in the ledger's events for each environment that the
  ///   ledger knows and those kept at hand do not state by then.
  package func context(
    at clocks: Clocks, in asked: EnvironmentSet
  ) throws(LedgerError) -> SharedContext {
    var context = try context(at: clocks)
    guard let at = clocks.at else { return context }
    let known = self.context.environments.intersection(asked)
    for environment in known.subtracting(context.environments).members {
      let found = try firstFact(
        in: environment, upTo: at.microseconds, through: try lastPosition(clocks))
      guard let found else { continue }
      var change = ContextChange()
      context.extend(with: found, texts, &change)
    }
    try texts.check()
    return context
  }

  /// The first fact by position that states an environment and occurred up to a moment.
  private func firstFact(
    in environment: StoreEnvironment, upTo moment: Int64, through end: UInt64
  ) throws(LedgerError) -> Fact? {
    if end == 0 { return nil }
    var cursor = try log.records(in: 1...end)
    while try cursor.next() {
      let record = try cursor.record()
      let fact: Fact
      do throws(RecordError) { fact = try Fact(record) } catch {
        throw LedgerError(error, at: cursor.position)
      }
      if fact.environment == environment && fact.occurredAt <= moment { return fact }
    }
    return nil
  }
}
