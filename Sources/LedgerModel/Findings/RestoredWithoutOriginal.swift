import LedgerEvents

/// `restored-without-original` (warning): the queue's `transaction.restored` states no
/// `originalTransaction`. Once per delivery.
enum RestoredWithoutOriginal {
  static func breaks(_ fact: Fact) -> Bool {
    fact.kind == .transactionRestored && fact.original == 0
  }
}
