import LedgerEvents

extension EnvironmentState {
  /// `payment.added`: judged by what was reported to the device, and open until the queue answers.
  mutating func reducePayment(_ fact: Fact, _ step: Step, _ foldContext: FoldContext) {
    let isInvalid: Bool
    let isAllowed: Bool
    if fact.device == 0 {
      asksAbsentDevice = true
      let absent = foldContext.shared.absentDevice(in: environment)
      isInvalid = absent.isInvalid(fact.product, at: step.key, foldContext.texts)
      isAllowed = absent.allowsPayments(at: step.key, foldContext.texts)
    } else {
      let device = devices[indexOfDevice(fact.device)]
      let at = device.offers.partitionPoint { $0.product < fact.product }
      isInvalid =
        at < device.offers.count && device.offers[at].product == fact.product
        && device.offers[at].isInvalid
      isAllowed = device.allowsPayments
    }
    if InvalidProduct.breaks(isListedAsInvalid: isInvalid) { report(.invalidProduct, fact, step) }
    if PaymentNotAllowed.breaks(isAllowed: isAllowed) { report(.paymentNotAllowed, fact, step) }
    // A payment that is added again is still the same open payment.
    if fact.payment != 0, payments.contains(where: { $0.payment == fact.payment }) { return }
    if fact.payment == 0 && fact.device == 0 { couple(.payment, fact.product, writes: true) }
    payments.append(
      PaymentState(
        payment: fact.payment, product: fact.product, device: fact.device, account: fact.account,
        time: fact.occurredAt, position: fact.position))
  }

  /// A queue fact answers the payment that it states, and payments without an id for the product
  /// that it concerns on its device.
  mutating func answerPayments(_ fact: Fact, _ step: Step) {
    if fact.device == 0 && step.product != 0 { couple(.payment, step.product, writes: false) }
    if payments.isEmpty { return }
    payments.removeAll {
      $0.payment != 0
        ? $0.payment == fact.payment : $0.product == step.product && $0.device == fact.device
    }
  }
}
