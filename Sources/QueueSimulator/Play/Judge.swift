internal import LedgerEvents
internal import LedgerModel

/// Folds what a run recorded, by the one reducer, and says which rules it breaks.
struct Judge {
  private let cast: Cast
  private var facts: [Fact] = []
  /// All facts of a run hang together: they are of one customer.
  private let isOneUnit: Bool

  init(_ cast: Cast) {
    self.cast = cast
    isOneUnit = cast.scenario.accounts.count == 1
  }

  /// All broken rules, those of the second table judged at the newest event where the run is over.
  ///
  /// - Complexity: O(*n*) in the number of events.
  mutating func findings(of recording: Recording, isOver: Bool) -> [Finding] {
    cast.facts(of: recording.events, into: &facts)
    let book =
      isOneUnit
      ? InMemoryLedger(foldingAsOne: facts, texts: cast)
      : InMemoryLedger(folding: facts, texts: cast)
    var findings = book.findings
    if isOver {
      let environment = cast.scenario.environment ?? .production
      if let moment = book.newestEvent(in: environment) {
        findings += book.findings(at: moment, in: environment)
      }
    }
    return findings
  }
}
