/// `payment-not-allowed` (error): `payment.added` on a device whose newest `payments.checked` says
/// not allowed. Once per event.
enum PaymentNotAllowed {
  static func breaks(isAllowed: Bool) -> Bool { !isAllowed }
}
