internal import LedgerEvents

// The rules for the payment queue. Sources: Apple's documentation of SKPaymentQueue,
// SKPaymentTransaction and SKPaymentTransactionObserver; `model.md` 13; `simulator.md`.
extension Tape {
  mutating func auditTransactions() {
    for lines in byTransaction {
      auditStates(lines)
      auditRepetitions(lines)
      auditContent(lines)
      auditRemoval(lines)
    }
    auditCrashes()
  }

  /// Checks that states only move forward, and that there is no identifier before the purchase.
  private mutating func auditStates(_ lines: [Line]) {
    var newest: Line?
    for line in lines {
      guard line.isReport, let rank = line.rank else { continue }
      if line.isDelivery {
        expect(line.event.transaction != nil, "identifier", line, "without an identifier")
      } else if !isContradiction(line) {
        expect(
          line.event.transaction == nil && line.event.payment != nil, "identifier", line,
          "with an identifier, or without a payment")
      }
      if let newest, let before = newest.rank {
        let isContradicted = isContradiction(line) || isContradiction(newest)
        expect(
          rank > before || newest.kind == line.kind
            || (rank == before && isContradicted && struck("contradict-delivery")),
          "states-go-forward", line, "after \(newest.event.type.text)")
      }
      newest = line
    }
  }

  /// Checks that a state is reported again only when an observer is added, on return to the
  /// foreground, when a delivery is repeated, or when an unfinished consumable blocks its next
  /// sale.
  private mutating func auditRepetitions(_ lines: [Line]) {
    var newest: Line?
    for line in lines where line.isReport {
      defer { newest = line }
      guard let newest, newest.kind == line.kind else { continue }
      let between = self.lines.filter {
        $0.device == line.device && $0.number > newest.number && $0.number < line.number
      }
      let isCalledFor = between.contains {
        $0.kind == .sessionObserverAdded || $0.kind == .sessionForegrounded
      }
      // The payment may have been added before the delivery that it repeats.
      let isBlocking =
        line.kind == .transactionPurchased && Self.announced(line).isEmpty
        && self.lines.contains {
          $0.kind == .paymentAdded && $0.number < line.number && $0.device == line.device
            && $0.event.product == line.event.product && $0.event.payment != line.event.payment
        }
      expect(
        isCalledFor || struck("repeat-delivery") || isBlocking || observerCount(at: line) > 1
          || struck("contradict-delivery") && isContradiction(line),
        "repetition", line,
        "again, with nothing to call for it")
    }
  }

  /// Checks that the data of a transaction stays the same, except for an account that is lost.
  private mutating func auditContent(_ lines: [Line]) {
    let givesAway = run.policy == "signed-in-gets-it"
    let accounts = Set(lines.compactMap(\.event.account))
    expect(
      accounts.count < 2 || givesAway, "one-account", lines[0], "of \(accounts.count) accounts")
    let products = Set(lines.compactMap(\.event.product))
    expect(products.count < 2, "one-product", lines[0], "of \(products.count) products")
    let deliveries = lines.filter(\.isDelivery)
    guard let first = deliveries.first else { return }
    for line in deliveries.dropFirst() {
      expect(
        line.event.data.members.map(\.json) == first.event.data.members.map(\.json)
          && line.event.originalTransaction == first.event.originalTransaction
          && line.event.payment == first.event.payment,
        "told-the-same", line, "with other content than at \(first.number)")
    }
    if !givesAway, let lost = lines.first(where: { $0.event.account == nil }) {
      expect(struck("lose-account"), "one-account", lost, "without its account")
      for line in lines where line.number > lost.number {
        expect(line.event.account == nil, "one-account", line, "with an account that was lost")
      }
    }
  }

  /// Checks that a finished transaction leaves the queue once and permanently, unless the finish
  /// was lost.
  private mutating func auditRemoval(_ lines: [Line]) {
    var isFinished = false
    var isRemoved = false
    for line in lines {
      if line.kind == .transactionFinished && !endsTheApp(line) { isFinished = true }
      if line.kind == .transactionRemoved {
        expect(isFinished || struck("remove"), "removed", line, "that nobody finished")
        expect(!isRemoved || observerCount(at: line) > 1, "removed", line, "twice")
        isRemoved = true
      }
      guard line.isReport else { continue }
      expect(!isRemoved, "off-the-queue", line, "after it was removed")
      expect(!isFinished || struck("fail-finish"), "off-the-queue", line, "after its finish")
    }
  }

  /// Returns whether a finish was refused with an exception.
  private func endsTheApp(_ line: Line) -> Bool {
    let next = lines.first { $0.device == line.device && $0.number > line.number }
    return next?.kind == .sessionEnded && next?.event.data.string("reason") == "crashed"
  }

  /// Checks that finishing a transaction that is being purchased ends the app with an exception,
  /// and that nothing else does.
  private mutating func auditCrashes() {
    for (_, lines) in byDevice {
      for (index, line) in lines.enumerated() {
        if line.kind == .sessionEnded, line.event.data.string("reason") == "crashed" {
          expect(
            index > 0 && lines[index - 1].kind == .transactionFinished
              && newestReport(before: lines[index - 1])?.kind == .transactionPurchasing,
            "crash", line, "for no reason")
        }
        guard line.kind == .transactionFinished,
          newestReport(before: line)?.kind == .transactionPurchasing,
          index + 1 < lines.count, lines[index + 1].kind != .sessionEnded
        else { continue }
        // There was no exception, so it was no longer being purchased.
        expect(
          !lines[index...].contains {
            $0.about == line.about && $0.kind == .transactionPurchasing
          }, "crash", line, "of what is still being bought goes unpunished")
      }
    }
  }

  /// Returns the last report of the queue about a line's transaction.
  func newestReport(before line: Line) -> Line? {
    lines.last {
      $0.number < line.number && $0.device == line.device && $0.about == line.about && $0.isReport
    }
  }

  /// Checks that transactions in the queue are reported again at the next launch, once there is an
  /// observer.
  mutating func auditReturns() {
    for (device, lines) in byDevice {
      guard let launch = lines.last(where: { $0.kind == .sessionStarted }),
        lines.contains(where: { $0.kind == .sessionObserverAdded && $0.number > launch.number })
      else { continue }
      let before = byTransaction.filter { $0[0].device == device && $0[0].number < launch.number }
      for own in before {
        guard let newest = own.last(where: { $0.isReport && $0.number < launch.number }) else {
          continue
        }
        let hasEnded = own.contains {
          $0.number > newest.number && $0.number < launch.number
            && ($0.kind == .transactionRemoved
              || ($0.kind == .transactionFinished && !endsTheApp($0)))
        }
        // A payment for an unfinished consumable is silently dropped.
        let mayBeDropped =
          newest.rank != 2 && kind(of: newest.event.product) == "consumable"
        if hasEnded || mayBeDropped { continue }
        expect(
          own.contains { $0.isReport && $0.number > launch.number }, "comes-back", newest,
          "and not reported in the last launch")
      }
    }
  }
}
