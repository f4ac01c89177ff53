internal import LedgerEvents
internal import LedgerModel

/// Folds the recording of a run with the reducer and returns the rules that it breaks.
struct Judge {
  private let cast: Cast
  private var facts: [Fact] = []
  /// All facts belong to one customer, and so to one connected component.
  private let isOneUnit: Bool

  init(_ cast: Cast) {
    self.cast = cast
    isOneUnit = cast.scenario.accounts.count == 1
  }

  /// All broken rules. If the run is over, those of the second table are judged at the newest
  /// event.
  ///
  /// - Complexity: O(*n*) in the number of events.
  mutating func findings(of recording: Recording, isOver: Bool) -> [Finding] {
    cast.facts(of: recording.events, into: &facts)
    let ledger =
      isOneUnit
      ? InMemoryLedger(foldingAsOne: facts, texts: cast)
      : InMemoryLedger(folding: facts, texts: cast)
    var findings = ledger.findings
    if isOver {
      let environment = cast.scenario.environment ?? .production
      if let moment = ledger.newestEvent(in: environment) {
        findings += ledger.findings(at: moment, in: environment)
      }
    }
    return findings
  }
}
