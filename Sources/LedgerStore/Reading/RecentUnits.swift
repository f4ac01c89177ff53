internal import LedgerEvents
internal import LedgerModel

/// The unit that a question has read last, now and in the past. A question has several parts, and
/// most of them are about the same customer. It is forgotten when the question is answered.
struct RecentUnits {
  /// A unit on which no event after the projections has an effect.
  var stored: (number: UnitNumber, state: Unit)?
  /// The facts of a unit on which it depends what customers have.
  var facts: (of: UnitNumber, by: FactSelection, facts: [Fact])?
  /// The unit of a name at clocks that do not reach all.
  var past: (use: NameUse, clocks: Clocks, entitlementsAt: Int64?, unit: NamedUnit)?
}
