import LedgerEvents

extension EnvironmentState {
  /// `purchase.fulfilled` and `purchase.fulfillmentFailed`: whether what was bought was given.
  mutating func reduceFulfillment(
    _ fact: Fact, _ step: Step, _ foldContext: FoldContext
  ) {
    guard step.transaction != none else { return }
    let transaction = transactions[step.transaction]
    if FinishedBeforeFulfillment.breaks(transaction) {
      report(.finishedBeforeFulfillment, fact, step)
    }
    transactions[step.transaction].marks.insert(.fulfillmentSeen)
    if fact.kind == .purchaseFulfillmentFailed {
      refuse(fact, step)
      return
    }
    clearRefusal(of: step.transaction)
    if transaction.marks.contains(.fulfilledSeen) {
      judgeRepeat(fact, step, foldContext.shared)
      return
    }
    transactions[step.transaction].marks.insert(.fulfilledSeen)
    if !transaction.hasPurchase {
      gifts.append(
        OutcomeState(
          transaction: step.transaction, time: fact.occurredAt, position: fact.position))
    }
  }

  /// `receipt.accepted` and `receipt.rejected`. They count as long as nobody has said whether what
  /// was bought was given.
  mutating func reduceVerdict(_ fact: Fact, _ step: Step) {
    guard step.transaction != none,
      !transactions[step.transaction].marks.contains(.fulfillmentSeen)
    else { return }
    if fact.kind == .receiptRejected {
      refuse(fact, step)
    } else {
      clearRefusal(of: step.transaction)
    }
  }

  private mutating func refuse(_ fact: Fact, _ step: Step) {
    clearRefusal(of: step.transaction)
    transactions[step.transaction].marks.insert(.isRefused)
    refusals.append(
      OutcomeState(
        transaction: step.transaction, time: fact.occurredAt, position: fact.position))
  }

  private mutating func clearRefusal(of transaction: Int) {
    guard transactions[transaction].marks.contains(.isRefused) else { return }
    transactions[transaction].marks.remove(.isRefused)
    refusals.removeAll { $0.transaction == transaction }
  }

  /// Looks for `fulfilled-twice`, or keeps the event if it is not yet known what was bought.
  private mutating func judgeRepeat(_ fact: Fact, _ step: Step, _ context: SharedContext) {
    let chain = transactions[step.transaction].chain
    let finding = finding(.fulfilledTwice, fact, step)
    if chains[chain].firstPurchase == none {
      repeats.append(RepeatState(chain: chain, finding: finding))
    } else if FulfilledTwice.breaks(kind: kind(of: chains[chain], context)) {
      findings.append(finding)
    }
  }

  /// The first purchase fact of a chain says what was bought.
  mutating func judgeRepeats(of chain: Int, _ context: SharedContext) {
    if FulfilledTwice.breaks(kind: kind(of: chains[chain], context)) {
      findings += repeats.filter { $0.chain == chain }.map(\.finding)
    }
    repeats.removeAll { $0.chain == chain }
  }
}
