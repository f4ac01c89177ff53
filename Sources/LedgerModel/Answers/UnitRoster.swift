package import LedgerEvents

/// Whom a unit is about, and which rules its events broke.
package struct UnitRoster: Sendable {
  /// Every account that has a stored answer.
  package let accounts: [NameNumber]
  package let devices: [NameNumber]
  /// The rules of the first table, but for those that are judged over all units.
  package let findings: [Finding]
  /// The position of the newest event of the unit.
  package let lastPosition: UInt64

  /// The tables of a unit's state from which a roster is made.
  static let tables: Set<StateTableNumber> = [
    .statedAccounts, .accounts, .devices, .findings, .lateFindings,
  ]

  /// Creates the roster of a unit, of which ``tables`` have been read.
  package init(_ unit: Unit) {
    accounts = unit.answeredAccounts
    devices = unit.environments.flatMap { $0.devices.map(\.number) }.filter { $0 != 0 }
    findings = unit.findings
    lastPosition = unit.lastPosition
  }
}
