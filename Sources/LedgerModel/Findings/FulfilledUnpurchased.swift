/// `fulfilled-unpurchased` (error): the first `purchase.fulfilled` of a transaction that has no
/// purchase fact, more than 1 hour ago: given, and never paid. Once per transaction.
enum FulfilledUnpurchased {
  static func holds(_ gift: OutcomeState, at moment: Int64, _ thresholds: Thresholds) -> Bool {
    moment - gift.time > thresholds.fulfilledUnpurchased
  }
}
