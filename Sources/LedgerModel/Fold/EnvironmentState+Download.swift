import LedgerEvents

extension EnvironmentState {
  /// A `download.*` event (`model.md` 14).
  mutating func reduceDownload(_ fact: Fact, _ step: Step, _ foldContext: FoldContext) {
    guard step.transaction != none else { return }
    let index = indexOfDownload(of: step.transaction, fact.download, on: fact.device)
    chains[transactions[step.transaction].chain].hasHostedContent = true
    if let detail = fact.detail {
      if let host = detail.fields.host { downloads[index].host = host }
      if let version = detail.fields.contentVersion,
        downloads[index].version != version || downloads[index].observedProduct != step.product
      {
        downloads[index].version = version
        observe(version, of: step.product, download: index, step)
      }
    }
    judgeDownload(fact, step, index)
    if fact.kind == .downloadProgressed { judgeProgress(fact, step, index, foldContext) }
    if fact.kind == .downloadRequested { judgeRequest(fact, step, index) }
    move(index, by: fact.kind)
    downloads[index].newestKind = fact.kind
    downloads[index].newestTime = fact.occurredAt
    downloads[index].newestPosition = fact.position
    if fact.kind == .downloadRequested { judgeStorm(fact, step) }
  }

  private mutating func judgeDownload(_ fact: Fact, _ step: Step, _ index: Int) {
    if FinishedUnknown.breaks(transactions[step.transaction].marks) {
      transactions[step.transaction].marks.insert(.unknownFound)
      report(.finishedUnknown, fact, step)
    }
    let queue = transactions[step.transaction].queue
    if DownloadWithoutPayment.breaks(queue),
      !siblings(of: index).contains(where: { downloads[$0].marks.contains(.withoutPaymentFound) })
    {
      downloads[index].marks.insert(.withoutPaymentFound)
      report(.downloadWithoutPayment, fact, step)
    }
    if DownloadAfterFinish.breaks(fact.kind, queue, host: downloads[index].host),
      !siblings(of: index).contains(where: {
        downloads[$0].afterFinishFound == queue.finishCount
      })
    {
      downloads[index].afterFinishFound = queue.finishCount
      report(.downloadAfterFinish, fact, step)
    }
    if fact.kind == .downloadFailed && FailedWithoutError.breaks(fact) {
      report(.failedWithoutError, fact, step)
    }
  }

  private mutating func judgeRequest(_ fact: Fact, _ step: Step, _ index: Int) {
    if isThereAlready(downloads[index].version, fact, step) {
      report(.redundantDownload, fact, step)
    }
  }

  private mutating func judgeProgress(
    _ fact: Fact, _ step: Step, _ index: Int, _ foldContext: FoldContext
  ) {
    if fact.progress.isNaN { return }
    let launch = launch(of: fact.device, step, foldContext)
    if downloads[index].progressLaunch != launch {
      downloads[index].progressLaunch = launch
      endAttempt(index)
    }
    let highest = downloads[index].progress
    if ProgressRegressed.breaks(fact.progress, highest: highest) {
      if !downloads[index].marks.contains(.regressionFound) {
        downloads[index].marks.insert(.regressionFound)
        report(.progressRegressed, fact, step)
      }
    } else {
      downloads[index].progress = fact.progress
    }
  }

  mutating func endAttempt(_ index: Int) {
    downloads[index].progress = .nan
    downloads[index].marks.remove(.regressionFound)
  }

  /// Sets the state that a download's newest event gives it. A download that a finish cancelled
  /// stays cancelled until it is requested again or finished.
  private mutating func move(_ index: Int, by kind: EventKind) {
    let isHeld = downloads[index].marks.contains(.cancelledByFinish)
    switch kind {
    case .downloadRequested:
      downloads[index].phase = .requested
      downloads[index].marks.remove(.cancelledByFinish)
      downloads[index].marks.insert(.everRequested)
      setRequestedAndOpen(true, index)
      endAttempt(index)
    case .downloadFinished:
      downloads[index].phase = .finished
      downloads[index].marks.remove(.cancelledByFinish)
      setRequestedAndOpen(false, index)
      endAttempt(index)
    case .downloadFailed, .downloadCancelled:
      if !isHeld { downloads[index].phase = kind == .downloadFailed ? .failed : .cancelled }
      setRequestedAndOpen(false, index)
      endAttempt(index)
    case .downloadWaiting: if !isHeld { downloads[index].phase = .waiting }
    case .downloadProgressed: if !isHeld { downloads[index].phase = .active }
    case .downloadPaused: if !isHeld { downloads[index].phase = .paused }
    default: break
    }
  }

  /// Whether a version of the transaction's product, or a newer one, is installed on the fact's
  /// device by an install that does not name the transaction (`model.md` 17).
  mutating func isThereAlready(_ version: Name?, _ fact: Fact, _ step: Step) -> Bool {
    let product = transactions[step.transaction].product
    if product == 0 { return false }
    if step.holder == .nobody && fact.device == 0 { couple(.content, product, writes: false) }
    guard let version else { return false }
    let index = findContent(of: product, on: fact.device, heldBy: step.holder)
    guard index != none, contents[index].isPresent else { return false }
    return contents[index].transaction != step.transaction
      && VersionOrder.compare(contents[index].version, version) >= 0
  }

  private mutating func judgeStorm(_ fact: Fact, _ step: Step) {
    let delivery = findDelivery(of: step.transaction, on: fact.device)
    guard delivery != none, deliveries[delivery].restore != 0 else { return }
    let restore = deliveries[delivery].restore
    if stormIsFound(restore, on: fact.device) { return }
    if RestoreStorm.breaks(running: countOpenRequests(of: restore, on: fact.device)) {
      noteStorm(restore, on: fact.device)
      report(.restoreStorm, fact, step)
    }
  }
}
