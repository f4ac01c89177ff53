/// `payment-unanswered` (warning): `payment.added` more than 1 hour ago, and since then no queue
/// fact that states that `payment` (where it has none: that concerns that product, on that device).
/// Once per payment: of several `payment.added` with one id the first stands for all.
enum PaymentUnanswered {
  static func holds(_ payment: PaymentState, at moment: Int64, _ thresholds: Thresholds) -> Bool {
    moment - payment.time > thresholds.paymentUnanswered
  }
}
