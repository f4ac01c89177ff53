internal import LedgerEvents
internal import LedgerModel

/// Folds what a run recorded, by the one reducer, and says which rules it breaks.
struct Judge {
  private let cast: Cast
  private var facts: [Fact] = []

  init(_ cast: Cast) { self.cast = cast }

  /// All broken rules, those of the second table judged at the newest event where the run is over.
  ///
  /// - Complexity: O(*n*) in the number of events.
  mutating func findings(of recording: Recording, isOver: Bool) -> [Finding] {
    cast.facts(of: recording.events, into: &facts)
    let book = Book(folding: facts, texts: cast)
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
