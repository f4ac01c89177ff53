package import LedgerEvents

/// What became of a notification that was taken. Everything it says is durable.
package struct TakenNotification: Sendable {
  /// The store's id of the notification. It is the same in all copies of it.
  package let notificationUUID: Name
  /// The type, such as `DID_RENEW`.
  package let type: String
  /// The subtype, such as `BILLING_RECOVERY`; nil if it states none.
  package let subtype: String?
  /// The environment that the signed payload states.
  package let environment: StoreEnvironment
  /// The bundle id of the app.
  package let app: Name
  /// The positions of the events that were appended, which are consecutive; nil if there are none.
  package let positions: ClosedRange<UInt64>?
  /// The number of the notification's events that the ledger had already, under the same ids. What
  /// it knows in other events is not counted.
  package let knownCount: Int
  /// Whether the transaction in it has no owner: it states no account, and the ledger knows none.
  package let isOwnerless: Bool
  /// What was left out or is recorded otherwise, and why, one sentence each without a full stop.
  package let warnings: [String]

  /// The number of events that were appended.
  package var appendedCount: Int { positions?.count ?? 0 }
}
