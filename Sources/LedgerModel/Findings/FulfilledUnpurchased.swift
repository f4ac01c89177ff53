/// `fulfilled-unpurchased` (error): the first `purchase.fulfilled` of a transaction without a
/// purchase fact was more than 1 hour ago. It was given, but never paid for. Once per transaction.
enum FulfilledUnpurchased {
  static func holds(_ gift: OutcomeState, at moment: Int64, _ thresholds: Thresholds) -> Bool {
    moment - gift.time > thresholds.fulfilledUnpurchased
  }
}
