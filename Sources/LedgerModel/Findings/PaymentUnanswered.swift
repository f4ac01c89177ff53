/// `payment-unanswered` (warning): `payment.added` was more than 1 hour ago, and no queue fact
/// since then states that `payment` (or, if it has no id, concerns that product on that device).
/// Once per payment: the first of several `payment.added` with one id stands for all of them.
enum PaymentUnanswered {
  static func holds(_ payment: PaymentState, at moment: Int64, _ thresholds: Thresholds) -> Bool {
    moment - payment.time > thresholds.paymentUnanswered
  }
}
