/// `account-changed` (error): an event of a transaction states another account than its owner. An
/// absent one is not another; nor is one that at this event is, or is linked to, the account that
/// `model.md` 1 names or the `to` of a transfer that moved the transaction. Once per transaction.
enum AccountChanged {
  /// `allowed` are the customers of the owner and of those it was moved to, at the event.
  static func breaks(stated: Holder, allowed: [Holder]) -> Bool { !allowed.contains(stated) }
}
