/// `account-changed` (error): an event of a transaction states an account other than its owner. An
/// absent account does not count. Nor does an account that at this event is, or is linked to, the
/// account that `model.md` 1 names or the `to` of a transfer that moved the transaction. Once per
/// transaction.
enum AccountChanged {
  /// `allowed` are the customers, at the event, of the owner and of the accounts it was moved to.
  static func breaks(stated: Holder, allowed: [Holder]) -> Bool { !allowed.contains(stated) }
}
