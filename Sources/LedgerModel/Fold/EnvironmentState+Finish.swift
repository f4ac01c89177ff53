import LedgerEvents

extension EnvironmentState {
  /// `transaction.finished` by the queue (`model.md` 13 and 14).
  mutating func finish(_ fact: Fact, _ step: Step) {
    let index = step.transaction
    let transaction = transactions[index]
    guard transaction.queue.wasDelivered else {
      judgeEarlyFinish(fact, step)
      return
    }
    if FinishedTwice.breaks(transaction.queue) { report(.finishedTwice, fact, step) }
    let downloads = findDownloads(of: index, on: fact.device)
    if transaction.queue.isOpen && transaction.queue.delivered != .transactionFailed {
      judgeClosingFinish(fact, step, downloads)
    }
    transactions[index].queue.isOpen = false
    transactions[index].queue.finishCount += 1
    noteEnd(fact, step)
    for download in downloads { cancelByFinish(download) }
  }

  /// Judges a finish of a transaction that the queue never delivered. It changes nothing else.
  private mutating func judgeEarlyFinish(_ fact: Fact, _ step: Step) {
    let transaction = transactions[step.transaction]
    if FinishedUnknown.breaks(transaction.marks) {
      transactions[step.transaction].marks.insert(.unknownFound)
      report(.finishedUnknown, fact, step)
    } else if FinishedWhilePurchasing.breaks(transaction.queue) {
      report(.finishedWhilePurchasing, fact, step)
    }
  }

  private mutating func cancelByFinish(_ index: Int) {
    guard downloads[index].host == .store, !downloads[index].phase.hasEnded else { return }
    downloads[index].phase = .cancelled
    downloads[index].marks.insert(.cancelledByFinish)
    setRequestedAndOpen(false, index)
    endAttempt(index)
  }

  /// Judges the store-hosted downloads on the finishing device, except those whose content is
  /// already installed.
  private mutating func judgeClosingFinish(_ fact: Fact, _ step: Step, _ finishing: [Int]) {
    var closing = ClosingFinish()
    closing.isRestore = transactions[step.transaction].queue.delivered == .transactionRestored
    var lost: [Int] = []
    for index in finishing {
      let download = downloads[index]
      let install = findInstall(of: download)
      if download.marks.contains(.everRequested) { closing.anyRequested = true }
      if download.host == .own { continue }
      if isThereAlready(download.version, fact, step) { continue }
      closing.add(download, install: install)
      if download.phase == .finished && !(install?.wasInstalled ?? false) { lost.append(index) }
    }
    let broken: [(Rule, Bool)] = [
      (.finishedBeforeDownload, FinishedBeforeDownload.breaks(closing)),
      (.finishedWithoutDownload, FinishedWithoutDownload.breaks(closing)),
      (.finishedAfterFailedDownload, FinishedAfterFailedDownload.breaks(closing)),
      (.finishedBeforeInstall, FinishedBeforeInstall.breaks(closing)),
      (.installFailedThenFinished, InstallFailedThenFinished.breaks(closing)),
    ]
    for (rule, isBroken) in broken where isBroken { report(rule, fact, step) }
    if !lost.isEmpty {
      // A late fact can still change which purge comes first.
      if fact.device == 0 { asksAbsentDevice = true }
      closings.append(
        ClosingState(
          transaction: step.transaction, device: fact.device, downloads: lost, key: step.key))
    }
  }

  /// Looks for `content-missing-at-install` at a purge of `device`, or at a failed install of one
  /// transaction. The first of these after a closing finish decides.
  mutating func judgeClosings(
    _ fact: Fact, _ step: Step, device: NameNumber, transaction: Int?
  ) {
    guard !closings.isEmpty else { return }
    for index in closings.indices.reversed() {
      let closing = closings[index]
      guard closing.device == device, transaction.map({ $0 == closing.transaction }) ?? true
      else { continue }
      closings.remove(at: index)
      let installs = closing.downloads.map { findInstall(of: downloads[$0])?.wasInstalled ?? false }
      guard ContentMissingAtInstall.breaks(wereInstalled: installs) else { continue }
      var about = step
      about.transaction = closing.transaction
      about.product = transactions[closing.transaction].product
      report(.contentMissingAtInstall, fact, about)
    }
  }

  /// Applies the purges of the absent device that come before `key`, or all of them, and returns
  /// the last one that was applied.
  mutating func drainAbsentPurges(
    before key: FoldKey?, _ foldContext: FoldContext
  ) -> FoldKey? {
    var last: FoldKey?
    while true {
      let absent = foldContext.shared.absentDevice(in: environment)
      var next: FoldKey?
      for closing in closings where closing.device == 0 {
        guard let purge = absent.purge(after: closing.key, foldContext.texts) else { continue }
        if let key, !purge.precedes(key, foldContext.texts) { continue }
        if let found = next, !purge.precedes(found, foldContext.texts) { continue }
        next = purge
      }
      guard let next else { return last }
      var fact = Fact(
        position: next.position, kind: .contentPurged, source: .app, environment: environment,
        statedOccurredAt: next.time, recordedAt: next.time, sequence: next.sequence,
        idPrefix: next.idPrefix)
      fact.device = 0
      judgeClosings(fact, Step(ordinal: -1, key: next), device: 0, transaction: nil)
      last = next
    }
  }
}

/// What a closing finish finds among the transaction's store-hosted downloads on its device.
struct ClosingFinish: Sendable {
  var isRestore = false
  /// Whether any of the transaction's downloads was ever requested on that device.
  var anyRequested = false
  var anyNotEnded = false
  var anyFailedOrCancelled = false
  var anyFinishedWithoutInstall = false
  var anyInstallFailedOrOpen = false

  mutating func add(_ download: DownloadState, install: InstallState?) {
    if !download.phase.hasEnded { anyNotEnded = true }
    if download.phase == .failed || download.phase == .cancelled { anyFailedOrCancelled = true }
    if download.phase == .finished && install == nil { anyFinishedWithoutInstall = true }
    if let install, install.phase != .installed { anyInstallFailedOrOpen = true }
  }
}
