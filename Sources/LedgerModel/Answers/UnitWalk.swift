import LedgerEvents

/// A fold that can be watched: the unit after each of its facts, in the fold's order.
///
/// What "the first event that states it" decides is settled over all facts beforehand, so that each
/// step is one that the fold of all of them really takes.
public struct UnitWalk {
  /// Everything that the facts so far come to.
  public private(set) var unit = Unit()
  private var rest: ArraySlice<Fact>
  private var resolutions: ArraySlice<Resolution>
  private let surroundings: Surroundings

  /// Sets out before the first of a unit's facts, given in any order.
  ///
  /// - Complexity: O(*n* log *n*) in the number of facts.
  public init(over facts: [Fact], context: SharedContext, texts: any FactTexts) {
    surroundings = Surroundings(context: context, texts: texts)
    let settled = unit.begin(facts, context, texts)
    rest = settled.facts[...]
    resolutions = settled.resolutions[...]
  }

  /// Folds the next fact and returns it; `nil` after the last.
  public mutating func next() -> Fact? {
    guard let fact = rest.popFirst(), let resolution = resolutions.popFirst() else { return nil }
    unit.step(fact, resolution, surroundings)
    return fact
  }
}
