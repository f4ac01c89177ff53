internal import LedgerEvents
internal import LedgerModel

/// The unit that a question has read last, now and in the past. A question has several parts, and
/// most of them are about the same customer. It is forgotten when the question is answered.
struct RecentUnits {
  /// A unit on which no event after the projections has an effect.
  var stored: (number: UnitNumber, state: Unit)?
  /// The facts of a unit on which it depends what customers have.
  var facts: (of: UnitNumber, reading: FactReading, facts: [Fact])?
  /// The unit of a name at clocks that do not reach all.
  var past: (use: NameUse, clocks: Clocks, unit: NamedUnit)?
}

/// Which facts of a unit were read.
struct FactReading {
  /// The last position.
  var end: UInt64
  /// The last store time, in microseconds; `nil` if there is no limit.
  var until: Int64?
  /// See ``FactSelection/entitlementsAt``.
  var moment: Int64

  /// Whether what was read serves for another question, too. For a later moment, fewer facts are
  /// needed.
  func serves(_ other: FactReading) -> Bool {
    end == other.end && until == other.until && moment <= other.moment
  }
}
