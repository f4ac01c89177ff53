internal import LedgerEvents

// An independent statement of what an app owes its customers, from the events alone, for every
// policy.
extension AuditedRun {
  /// Returns whether everything that was sold and not refunded was given; `nil` if the events do
  /// not state what was sold, or to whom.
  public func isDelivered() -> Bool? {
    // In the events, a fulfillment by mistake for another payment looks the same.
    if policy == "latest-answers" { return nil }
    // What was given to whoever was signed in can look as if the buyer had got it.
    if policy == "signed-in-gets-it" { return nil }
    let tape = Tape(self)
    guard let sold = tape.purchasesSold else { return nil }
    return sold.allSatisfy { tape.isGiven($0) }
  }

  /// Returns whether nothing was credited twice; `nil` if the events do not state it.
  public func isCreditedOnce() -> Bool? {
    if policy == "latest-answers" { return nil }
    let tape = Tape(self)
    let consumables = tape.lines.filter {
      $0.isDelivery && $0.kind == .transactionPurchased
        && tape.kind(of: $0.event.product) == "consumable"
    }
    return Set(consumables.compactMap(\.about)).allSatisfy { transaction in
      tape.lines.count { $0.about == transaction && $0.kind == .purchaseFulfilled } <= 1
    }
  }
}

extension Tape {
  /// The first deliveries of everything that was sold and not refunded; `nil` if a sale may not
  /// have been reported.
  fileprivate var purchasesSold: [Line]? {
    var sold: [Line] = []
    var known: Set<Name> = []
    for line in lines where line.isDelivery && line.kind == .transactionPurchased {
      guard let transaction = line.event.transaction, known.insert(transaction).inserted,
        line.event.originalTransaction == transaction
      else { continue }
      sold.append(line)
    }
    let notified = lines.filter {
      $0.event.source?.kind == .notification && $0.kind == .transactionPurchased
    }
    if !notified.allSatisfy({ $0.event.transaction.map(known.contains) ?? false }) { return nil }
    if notified.isEmpty {
      let answered = Set(lines.filter { $0.rank == 2 }.compactMap(\.event.payment))
      let payments = lines.filter { $0.kind == .paymentAdded }.compactMap(\.event.payment)
      if struck("interrupt-payment") || !payments.allSatisfy(answered.contains) { return nil }
    }
    return sold.filter { line in
      !lines.contains {
        $0.kind == .transactionRefunded && $0.event.transaction == line.event.transaction
      }
    }
  }

  /// Whether whoever paid was given it, by whatever transactions.
  fileprivate func isGiven(_ sold: Line) -> Bool {
    let payer = holder(of: sold)
    if Self.announced(sold).isEmpty {
      let same = Set(
        lines.filter {
          $0.isDelivery && $0.event.originalTransaction == sold.event.transaction
        }.map(\.about))
      return lines.contains {
        $0.kind == .purchaseFulfilled && same.contains($0.about)
          && ($0.event.account ?? holder(of: $0)) == payer
      }
    }
    // On any device: the apps keep each customer's content apart.
    return byDevice.keys.contains { isContentThere(sold, before: .max, on: $0, for: payer) }
  }
}
