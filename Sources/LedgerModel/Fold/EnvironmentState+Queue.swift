import LedgerEvents

extension EnvironmentState {
  /// What a queue fact changes on the queue (`model.md` 13 and 14).
  mutating func reduceQueue(_ fact: Fact, _ step: Step, _ foldContext: FoldContext) {
    answerPayments(fact, step)
    guard step.transaction != none else { return }
    switch fact.kind {
    case .transactionPurchasing, .transactionDeferred:
      noteReport(fact, step)
    case .transactionPurchased, .transactionRestored, .transactionFailed:
      judgeContradiction(fact, step)
      noteReport(fact, step)
      deliver(fact, step, foldContext)
    case .transactionFinished: finish(fact, step)
    case .transactionRemoved: remove(fact, step)
    default: break
    }
  }

  private mutating func noteReport(_ fact: Fact, _ step: Step) {
    transactions[step.transaction].queue.reported = fact.kind
    if step.product == 0 { return }
    let isDeferred = fact.kind == .transactionDeferred
    var index = transactions[step.transaction].firstReport
    while index != none && reports[index].product != step.product { index = reports[index].next }
    if index == none {
      var report = ReportState(
        product: step.product, ordinal: step.ordinal, time: fact.occurredAt,
        isDeferred: isDeferred)
      report.next = transactions[step.transaction].firstReport
      transactions[step.transaction].firstReport = reports.count
      reports.append(report)
    } else {
      reports[index].ordinal = step.ordinal
      reports[index].time = fact.occurredAt
      reports[index].isDeferred = isDeferred
    }
  }

  /// Handles a delivery: opens the transaction, announces its downloads and judges it.
  private mutating func deliver(_ fact: Fact, _ step: Step, _ foldContext: FoldContext) {
    let index = step.transaction
    let known = findDelivery(of: index, on: fact.device)
    let isFirstThere = known == none
    let delivery = isFirstThere ? appendDelivery(of: index, on: fact.device) : known
    let queue = transactions[index].queue
    if !isFirstThere {
      if Redelivered.breaks(queue) { report(.redelivered, fact, step) }
      if DeliveredAfterFinish.breaks(queue) { report(.deliveredAfterFinish, fact, step) }
    }
    judgeDelivery(fact, step, foldContext)
    if fact.kind == .transactionRestored && isFirstThere {
      joinRestore(fact, step, delivery: delivery, foldContext)
    }
    if !queue.isOpen && fact.opensTransaction {
      transactions[index].queue.isOpen = true
      transactions[index].queue.openedAt = fact.occurredAt
      transactions[index].queue.openedPosition = fact.position
      transactions[index].marks.subtract([.loopFoundInOpening, .removalFoundInOpening])
    }
    transactions[index].queue.delivered = fact.kind
    countLaunch(fact, step, delivery: delivery, foldContext)
    announce(fact, step)
    if fact.kind == .transactionFailed {
      noteFailure(fact, step)
    } else {
      deliveries[delivery].paidOrdinal = step.ordinal
    }
  }

  /// Looks for `failed-after-purchase`, before the delivery becomes the reported state.
  private mutating func judgeContradiction(_ fact: Fact, _ step: Step) {
    let transaction = transactions[step.transaction]
    guard FailedAfterPurchase.breaks(fact.kind, transaction.queue),
      !transaction.marks.contains(.failedAfterPurchaseFound)
    else { return }
    transactions[step.transaction].marks.insert(.failedAfterPurchaseFound)
    report(.failedAfterPurchase, fact, step)
  }

  private mutating func judgeDelivery(
    _ fact: Fact, _ step: Step, _ foldContext: FoldContext
  ) {
    let index = step.transaction
    if RestoredWithoutOriginal.breaks(fact) { report(.restoredWithoutOriginal, fact, step) }
    if fact.kind == .transactionFailed && FailedWithoutError.breaks(fact) {
      report(.failedWithoutError, fact, step)
    }
    if fact.kind == .transactionPurchased,
      !transactions[index].marks.contains(.purchasedDeliverySeen)
    {
      transactions[index].marks.insert(.purchasedDeliverySeen)
      judgePurchaseAfterFailure(fact, step)
    }
    guard let announced = fact.detail?.fields.downloads, !announced.isEmpty,
      fact.kind != .transactionFailed,
      !transactions[index].marks.contains(.hostedUnsupportedFound)
    else { return }
    let definition = foldContext.shared.catalogue.definition(
      of: step.product, in: environment, app: fact.app, at: fact.occurredAt)
    if HostedContentUnsupported.breaks(announced, definition: definition) {
      transactions[index].marks.insert(.hostedUnsupportedFound)
      report(.hostedContentUnsupported, fact, step)
    }
  }

  private mutating func judgePurchaseAfterFailure(_ fact: Fact, _ step: Step) {
    if step.holder == .nobody && fact.device == 0 {
      couple(.failure, step.product, writes: false)
    }
    for failure in failures
    where PurchasedAfterFailure.breaks(
      fact, step, failure, failedHolder: transactions[failure.transaction].holder)
    {
      report(.purchasedAfterFailure, fact, step)
      return
    }
  }

  private mutating func noteFailure(_ fact: Fact, _ step: Step) {
    if step.product == 0 { return }
    if step.holder == .nobody && fact.device == 0 {
      couple(.failure, step.product, writes: true)
    }
    failures.removeAll { $0.time < fact.occurredAt - PurchasedAfterFailure.spanMax }
    failures.append(
      FailureState(
        transaction: step.transaction, product: step.product, device: fact.device,
        time: fact.occurredAt))
  }

  private mutating func countLaunch(
    _ fact: Fact, _ step: Step, delivery: Int, _ foldContext: FoldContext
  ) {
    let phases = findDownloads(of: step.transaction, on: fact.device).map { downloads[$0].phase }
    guard DeliveryLoop.counts(beside: phases) else { return }
    let launch = launch(of: fact.device, step, foldContext)
    let finishCount = transactions[step.transaction].queue.finishCount
    if deliveries[delivery].loopFinishCount != finishCount {
      deliveries[delivery].loopFinishCount = finishCount
      deliveries[delivery].launchCount = 0
    }
    if deliveries[delivery].launchCount == 0 || deliveries[delivery].latestLaunch != launch {
      deliveries[delivery].launchCount += 1
      deliveries[delivery].latestLaunch = launch
    }
    if DeliveryLoop.breaks(launchCount: deliveries[delivery].launchCount),
      !transactions[step.transaction].marks.contains(.loopFoundInOpening)
    {
      transactions[step.transaction].marks.insert(.loopFoundInOpening)
      report(.deliveryLoop, fact, step)
    }
  }

  private mutating func announce(_ fact: Fact, _ step: Step) {
    guard fact.kind != .transactionFailed, let announced = fact.detail?.fields.downloads
    else { return }
    for one in announced {
      let index = indexOfDownload(of: step.transaction, one.download, on: fact.device)
      if let host = one.host { downloads[index].host = host }
      if let version = one.contentVersion {
        downloads[index].version = version
        observe(version, of: step.product, download: index, step)
      }
      chains[transactions[step.transaction].chain].hasHostedContent = true
    }
  }

  private mutating func remove(_ fact: Fact, _ step: Step) {
    let transaction = transactions[step.transaction]
    if RemovedWithoutFinish.breaks(transaction) {
      transactions[step.transaction].marks.insert(.removalFoundInOpening)
      report(.removedWithoutFinish, fact, step)
    }
    if !transaction.queue.wasFinished {
      transactions[step.transaction].marks.insert(.removedUnfinished)
    }
    noteEnd(fact, step)
  }

  /// Notes a finish or a removal, after which the queue no longer delivers the chain's content by
  /// itself.
  mutating func noteEnd(_ fact: Fact, _ step: Step) {
    let chain = transactions[step.transaction].chain
    if chains[chain].endedPosition == 0 {
      chains[chain].endedPosition = fact.position
      chains[chain].endedAt = fact.occurredAt
    }
  }
}
