internal import LedgerEvents

// The rules for restores. Sources: Apple's documentation of
// SKPaymentQueue.restoreCompletedTransactions() and of SKPaymentTransaction.original; `model.md`
// 16.
extension Tape {
  mutating func auditRestores() {
    for (_, lines) in byDevice { auditEnds(lines) }
    for line in lines where line.kind == .transactionRestored && line.isDelivery {
      auditRestored(line)
    }
  }

  /// Checks that each restore ends once, in its launch, after its transactions, unless its end
  /// overtakes them.
  private mutating func auditEnds(_ lines: [Line]) {
    var isRunning = false
    var hasEnded = false
    var told: Set<Name> = []
    for line in lines {
      switch line.kind {
      case .restoreRequested:
        isRunning = true
        hasEnded = false
      case .sessionStarted:
        isRunning = false
        hasEnded = false
      case .restoreCompleted:
        expect(isRunning, "restore-ends", line, "with none running")
        isRunning = false
        hasEnded = true
      case .transactionRestored:
        guard let transaction = line.event.transaction else { continue }
        if told.insert(transaction).inserted && hasEnded {
          expect(struck("overtake-restore"), "restore-ends", line, "after the restore's end")
        }
      default: break
      }
    }
  }

  /// Checks that a restored transaction has its own identifier and the original of something that
  /// the customer bought and that was not refunded, and that a restore lists each original once.
  private mutating func auditRestored(_ line: Line) {
    guard let original = line.event.originalTransaction, let transaction = line.event.transaction
    else {
      note("restored", line, "without an original")
      return
    }
    expect(original != transaction, "restored", line, "under the original's identifier")
    expect(line.event.payment == nil, "restored", line, "of a payment")
    expect(
      kind(of: line.event.product) != "consumable", "restored", line, "a consumable")
    let isBought =
      line.event.product.map(run.boughtBefore.contains) ?? false
      || lines.contains {
        $0.kind == .paymentAdded && $0.place < line.place
          && $0.event.product == line.event.product
          && (line.event.account == nil || $0.event.account == line.event.account)
      }
    expect(isBought, "restored", line, "what the customer never bought")
    if let bought = lines.first(where: {
      $0.kind == .transactionPurchased && $0.event.transaction == original
    }) {
      expect(
        bought.event.product == line.event.product, "restored", line, "another product")
      if let account = bought.event.account, let own = line.event.account {
        expect(account == own, "restored", line, "another customer's purchase")
      }
    }
    let earlier = lines.filter { $0.place < line.place && $0.device == line.device }
    let requests = earlier.filter { $0.kind == .restoreRequested }
    let listed = Set(
      (earlier + [line]).filter {
        $0.kind == .transactionRestored && $0.event.originalTransaction == original
      }.map(\.about))
    expect(
      listed.count <= requests.count || (struck("double-restore") && !requests.isEmpty),
      "restored-once", line, "\(listed.count) times in \(requests.count) restores")
    if let refund = lines.first(where: {
      $0.kind == .transactionRefunded && $0.event.transaction == original
    }) {
      expect(
        requests.contains { $0.place < refund.place }, "restored", line,
        "what was refunded before")
    }
  }
}
