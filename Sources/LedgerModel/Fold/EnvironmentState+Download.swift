import LedgerEvents

extension EnvironmentState {
  /// The index of a download on a device. A new download is added as announced.
  mutating func downloadPlace(
    _ transaction: Int, _ number: NameNumber, _ device: NameNumber
  ) -> Int {
    let known = download(of: transaction, number, on: device)
    if known != none { return known }
    var download = DownloadState(transaction: transaction, number: number, device: device)
    download.next = transactions[transaction].firstDownload
    transactions[transaction].firstDownload = downloads.count
    downloads.append(download)
    return downloads.count - 1
  }

  func download(of transaction: Int, _ number: NameNumber, on device: NameNumber) -> Int {
    var place = transactions[transaction].firstDownload
    while place != none {
      if downloads[place].number == number && downloads[place].device == device { return place }
      place = downloads[place].next
    }
    return none
  }

  /// A `download.*` event (`model.md` 14).
  mutating func reduceDownload(_ fact: Fact, _ step: Step, _ foldContext: FoldContext) {
    guard step.transaction != none else { return }
    let place = downloadPlace(step.transaction, fact.download, fact.device)
    chains[transactions[step.transaction].chain].hasHostedContent = true
    if let detail = fact.detail {
      if let host = detail.fields.host { downloads[place].host = host }
      if let version = detail.fields.contentVersion,
        downloads[place].version != version || downloads[place].observedProduct != step.product
      {
        downloads[place].version = version
        observe(version, of: step.product, download: place, step)
      }
    }
    judgeDownload(fact, step, place)
    if fact.kind == .downloadProgressed { judgeProgress(fact, step, place, foldContext) }
    if fact.kind == .downloadRequested { judgeRequest(fact, step, place) }
    move(place, by: fact.kind)
    downloads[place].newestKind = fact.kind
    downloads[place].newestTime = fact.occurredAt
    downloads[place].newestPosition = fact.position
    if fact.kind == .downloadRequested { judgeStorm(fact, step) }
  }

  private mutating func judgeDownload(_ fact: Fact, _ step: Step, _ place: Int) {
    if FinishedUnknown.breaks(transactions[step.transaction].marks) {
      transactions[step.transaction].marks.insert(.unknownFound)
      report(.finishedUnknown, fact, step)
    }
    let queue = transactions[step.transaction].queue
    if DownloadWithoutPayment.breaks(queue),
      !siblings(of: place).contains(where: { downloads[$0].marks.contains(.withoutPaymentFound) })
    {
      downloads[place].marks.insert(.withoutPaymentFound)
      report(.downloadWithoutPayment, fact, step)
    }
    if DownloadAfterFinish.breaks(fact.kind, queue, host: downloads[place].host),
      !siblings(of: place).contains(where: {
        downloads[$0].afterFinishFound == queue.finishCount
      })
    {
      downloads[place].afterFinishFound = queue.finishCount
      report(.downloadAfterFinish, fact, step)
    }
    if fact.kind == .downloadFailed && FailedWithoutError.breaks(fact) {
      report(.failedWithoutError, fact, step)
    }
  }

  /// The indices of one download on every device.
  private func siblings(of place: Int) -> [Int] {
    var found: [Int] = []
    var next = transactions[downloads[place].transaction].firstDownload
    while next != none {
      if downloads[next].number == downloads[place].number { found.append(next) }
      next = downloads[next].next
    }
    return found
  }

  private mutating func judgeRequest(_ fact: Fact, _ step: Step, _ place: Int) {
    if isThereAlready(downloads[place].version, fact, step) {
      report(.redundantDownload, fact, step)
    }
  }

  private mutating func judgeProgress(
    _ fact: Fact, _ step: Step, _ place: Int, _ foldContext: FoldContext
  ) {
    if fact.progress.isNaN { return }
    let launch = launch(of: fact.device, step, foldContext)
    if downloads[place].progressLaunch != launch {
      downloads[place].progressLaunch = launch
      endAttempt(place)
    }
    let highest = downloads[place].progress
    if ProgressRegressed.breaks(fact.progress, highest: highest) {
      if !downloads[place].marks.contains(.regressionFound) {
        downloads[place].marks.insert(.regressionFound)
        report(.progressRegressed, fact, step)
      }
    } else {
      downloads[place].progress = fact.progress
    }
  }

  mutating func endAttempt(_ place: Int) {
    downloads[place].progress = .nan
    downloads[place].marks.remove(.regressionFound)
  }

  /// Sets the state that a download's newest event gives it. A download that a finish cancelled
  /// stays cancelled until it is requested again or finished.
  private mutating func move(_ place: Int, by kind: EventKind) {
    let isHeld = downloads[place].marks.contains(.cancelledByFinish)
    switch kind {
    case .downloadRequested:
      downloads[place].phase = .requested
      downloads[place].marks.remove(.cancelledByFinish)
      downloads[place].marks.formUnion([.everRequested, .requestedAndOpen])
      endAttempt(place)
    case .downloadFinished:
      downloads[place].phase = .finished
      downloads[place].marks.subtract([.cancelledByFinish, .requestedAndOpen])
      endAttempt(place)
    case .downloadFailed, .downloadCancelled:
      if !isHeld { downloads[place].phase = kind == .downloadFailed ? .failed : .cancelled }
      downloads[place].marks.remove(.requestedAndOpen)
      endAttempt(place)
    case .downloadWaiting: if !isHeld { downloads[place].phase = .waiting }
    case .downloadProgressed: if !isHeld { downloads[place].phase = .active }
    case .downloadPaused: if !isHeld { downloads[place].phase = .paused }
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
    let place = content(of: product, on: fact.device, heldBy: step.holder)
    guard place != none, contents[place].isPresent else { return false }
    return contents[place].transaction != step.transaction
      && VersionOrder.compare(contents[place].version, version) >= 0
  }

  private mutating func judgeStorm(_ fact: Fact, _ step: Step) {
    let delivery = delivery(of: step.transaction, on: fact.device)
    guard delivery != none, deliveries[delivery].restore != 0 else { return }
    let restore = deliveries[delivery].restore
    if stormIsFound(restore, on: fact.device) { return }
    var running = 0
    for other in deliveries where other.restore == restore && other.device == fact.device {
      var place = transactions[other.transaction].firstDownload
      while place != none {
        if downloads[place].device == fact.device
          && downloads[place].marks.contains(.requestedAndOpen)
        {
          running += 1
        }
        place = downloads[place].next
      }
    }
    if RestoreStorm.breaks(running: running) {
      noteStorm(restore, on: fact.device)
      report(.restoreStorm, fact, step)
    }
  }
}
