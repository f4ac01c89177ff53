/// `restore-incomplete` (warning): a restore was completed more than 1 hour ago, but a
/// non-consumable that its account's customer holds and bought before the request has not been
/// delivered to that device since the request. Another Apple ID is signed in, or the store left the
/// purchase out. Once per request and chain.
enum RestoreIncomplete {
  /// Whether the restore was completed long enough ago.
  static func isDue(_ restore: RestoreState, at moment: Int64, _ thresholds: Thresholds) -> Bool {
    restore.completedAt != Fact.absentTime
      && moment - restore.completedAt > thresholds.restoreIncomplete
  }

  /// Whether the restore should have delivered a chain whose first purchase fact is `first`. Apps
  /// are compared if both the purchase and the request state one.
  static func expects(_ first: PurchaseState, _ restore: RestoreState) -> Bool {
    first.firstOrdinal < restore.ordinal
      && (first.firstApp == 0 || restore.app == 0 || first.firstApp == restore.app)
  }

  /// `newest` is the ordinal of the newest purchased or restored delivery of the chain on the
  /// device; `none` if there is none.
  static func holds(newest: Int, since restore: RestoreState) -> Bool {
    newest <= restore.ordinal
  }
}
