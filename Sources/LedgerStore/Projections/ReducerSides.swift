package import LedgerEvents
internal import LedgerModel

/// An entry of a stored answer, with the names that its row has.
package struct StoredEntry: Hashable, Sendable {
  package var item: ItemReference
  /// What a product opens according to the catalogue in force.
  package var entitlements: [Name]
  package var standing: ItemStanding

  package init(item: ItemReference, entitlements: [Name], standing: ItemStanding) {
    (self.item, self.entitlements, self.standing) = (item, entitlements, standing)
  }
}

/// What two reducers say about one account in one environment.
package struct ReducerSides: Sendable {
  /// What one of the reducers says.
  package struct Side: Sendable {
    /// A version on a device; the device is `nil` for the absent one.
    package struct Installed: Hashable, Sendable {
      package var device: Name?
      package var product: Name
      package var version: Name
    }

    /// The entitlements at `moment`; empty if that is `nil`.
    package var entries: [StoredEntry]
    package var balances: [Name: Int64]
    package var installed: [Installed]
    /// How often each rule is broken, by the rule's number, which this program may not know.
    package var findings: [UInt8: Int]
  }

  /// `nil` for what does not concern a known account.
  package var account: Name?
  package var environment: StoreEnvironment
  /// The first moment, not before the requested one, at which entries differ, in microseconds;
  /// `nil` if they never do.
  package var moment: Int64?
  package var before: Side
  package var after: Side
}

/// The basis of a comparison of two reducers, and its counts.
package struct ReducerSummary: Sendable {
  /// The position that both were folded up to.
  package var position: UInt64
  /// The version that folded the live projections.
  package var storedReducer: UInt32
  /// The number of accounts whose answers were compared.
  package var accounts = 0
  /// Findings of all accounts together, by the number of the rule.
  package var findings: [UInt8: (before: Int, after: Int)] = [:]
}
