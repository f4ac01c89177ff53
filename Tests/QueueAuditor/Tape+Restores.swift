internal import LedgerEvents

// The rules for restores. Sources: Apple's documentation of
// SKPaymentQueue.restoreCompletedTransactions() and of SKPaymentTransaction.original; `model.md`
// 16.
extension Tape {
  mutating func auditRestores() {
    for (_, lines) in byDevice {
      auditEnds(lines)
      auditCompleteness(lines)
    }
    for line in lines where line.kind == .transactionRestored && line.isDelivery {
      auditRestored(line)
    }
  }

  /// Checks that each restore ends once, in its launch, after its transactions, unless its end
  /// overtakes them.
  private mutating func auditEnds(_ lines: [Line]) {
    var isRunning = false
    var hasEnded = false
    var reported: Set<Name> = []
    var before: Line?
    for line in lines {
      defer { before = line }
      switch line.kind {
      case .restoreRequested:
        isRunning = true
        hasEnded = false
      case .sessionStarted:
        isRunning = false
        hasEnded = false
      case .restoreCompleted:
        // Each observer is called.
        if before?.kind == .restoreCompleted && observerCount(at: line) > 1 { continue }
        expect(isRunning, "restore-ends", line, "with none running")
        isRunning = false
        hasEnded = true
      case .transactionRestored:
        guard let transaction = line.event.transaction, line.event.payment == nil else { continue }
        if reported.insert(transaction).inserted && hasEnded {
          expect(struck("overtake-restore"), "restore-ends", line, "after the restore's end")
        }
      default: break
      }
    }
  }

  /// A restore brings everything that its customer has bought and that was not refunded, unless the
  /// store leaves something out or another Apple ID is signed in.
  private mutating func auditCompleteness(_ own: [Line]) {
    let isCut = ["shorten-restore", "switch-apple-id", "overtake-restore"].contains { struck($0) }
    if isCut || run.policy == "signed-in-gets-it" { return }
    for (index, end) in own.enumerated() where end.kind == .restoreCompleted {
      guard let request = own[..<index].last(where: { $0.kind == .restoreRequested }) else {
        continue
      }
      let bought = lines.filter {
        $0.kind == .transactionPurchased && $0.isDelivery && $0.number < request.number
          && $0.event.originalTransaction == $0.event.transaction
          && kind(of: $0.event.product) != "consumable"
          && holder(of: $0) == request.event.account
      }
      for original in Set(bought.compactMap(\.event.transaction)) {
        let isRefunded = lines.contains {
          $0.kind == .transactionRefunded && $0.event.transaction == original
        }
        let isBrought = own.contains {
          $0.number > request.number && $0.number < end.number && $0.kind == .transactionRestored
            && $0.event.originalTransaction == original
        }
        expect(isBrought || isRefunded, "restore-brings-all", end, "without \(original)")
      }
    }
  }

  /// A restored transaction has an identifier of its own and the original of something that the
  /// customer bought and that was not refunded; a restore lists each original once.
  private mutating func auditRestored(_ line: Line) {
    guard let original = line.event.originalTransaction, let transaction = line.event.transaction
    else {
      note("restored", line, "without an original")
      return
    }
    expect(original != transaction, "restored", line, "under the original's identifier")
    expect(
      line.event.payment == nil || struck("answer-as-restored"), "restored", line, "of a payment")
    expect(
      kind(of: line.event.product) != "consumable", "restored", line, "a consumable")
    // Another Apple ID brings another customer's purchases, and an app may give them to anybody.
    let isAnybodys = struck("switch-apple-id") || run.policy == "signed-in-gets-it"
    let isBought =
      line.event.product.map(run.boughtBefore.contains) ?? false
      || lines.contains {
        $0.kind == .paymentAdded && $0.number < line.number
          && $0.event.product == line.event.product
          && (line.event.account == nil || $0.event.account == line.event.account
            || isAnybodys)
      }
    expect(isBought, "restored", line, "what the customer never bought")
    if let bought = lines.first(where: {
      $0.kind == .transactionPurchased && $0.event.transaction == original
    }) {
      expect(
        bought.event.product == line.event.product, "restored", line, "another product")
      if let account = bought.event.account, let own = line.event.account {
        expect(account == own || isAnybodys, "restored", line, "another customer's purchase")
      }
    }
    if line.event.payment != nil { return }
    let earlier = lines.filter { $0.number < line.number && $0.device == line.device }
    let requests = earlier.filter { $0.kind == .restoreRequested }
    let listed = Set(
      (earlier + [line]).filter {
        $0.kind == .transactionRestored && $0.event.originalTransaction == original
          && $0.event.payment == nil
      }.map(\.about))
    expect(
      listed.count <= requests.count || (struck("double-restore") && !requests.isEmpty),
      "restored-once", line, "\(listed.count) times in \(requests.count) restores")
    if let refund = lines.first(where: {
      $0.kind == .transactionRefunded && $0.event.transaction == original
    }) {
      expect(
        requests.contains { $0.number < refund.number }, "restored", line,
        "what was refunded before")
    }
  }
}
