import LedgerEvents

extension Sweep {
  /// Records the downloads that a delivery announces to its device.
  func announce(_ seen: Seen, _ transaction: Transaction) {
    let product = world.product(of: seen)
    var isHosted = false
    for text in seen.value("downloads")?.elements ?? [] {
      guard let name = text["download"]?.string.map({ Name($0) }) else { continue }
      let id = DownloadID(download: name, device: seen.event.device)
      var download = transaction.queue.downloads[id] ?? Download()
      state(&download, host: text["host"]?.string, version: text["contentVersion"]?.string)
      transaction.queue.downloads[id] = download
      transaction.queue.sawDownload = true
      if text["host"]?.string != "own" { isHosted = true }
      if let product, let version = text["contentVersion"]?.string { offer(version, of: product) }
    }
    if isHosted, let product,
      let entry = world.catalogue.entry(of: product, usedBy: seen), entry.kind != "nonConsumable"
    {
      noteOnce("hosted-content-unsupported", seen, transaction)
    }
  }

  private func state(_ download: inout Download, host: String?, version: String?) {
    if let host { download.isHostedByStore = host != "own" }
    if let version { download.version = version }
  }

  /// Returns whether a download's version or a newer one is installed, by an install of something
  /// else.
  func isThereAlready(_ download: Download, _ transaction: Transaction, device: Name?) -> Bool {
    guard let version = download.version, let product = transaction.product else { return false }
    let deviceProduct = DeviceProduct(device: device, product: product)
    guard let content = holdings.installed(at: deviceProduct, for: transaction.holder),
      content.install.transaction !== transaction
    else { return false }
    return !versionPrecedes(content.version, version)
  }

  func download(_ seen: Seen, _ transaction: Transaction) {
    guard let name = seen.event.download else { return }
    let device = seen.event.device
    let id = DownloadID(download: name, device: device)
    if !transaction.queue.isKnown { noteOnce("finished-unknown", seen, transaction) }
    switch transaction.queue.reported?.kind {
    case .transactionFailed, .transactionPurchasing, .transactionDeferred:
      noteOnce("download-without-payment", seen, transaction, name.text)
    default: break
    }
    if seen.kind == .downloadFailed, seen.value("error") == nil {
      note("failed-without-error", seen)
    }
    var download = transaction.queue.downloads[id] ?? Download()
    state(&download, host: seen.string("host"), version: seen.string("contentVersion"))
    if let product = world.product(of: seen), let version = seen.string("contentVersion") {
      offer(version, of: product)
    }
    if seen.kind == .downloadProgressed { progress(seen, &download) }
    advance(&download, seen)
    transaction.queue.downloads[id] = download
    transaction.queue.sawDownload = true
    if seen.kind == .downloadRequested || seen.kind == .downloadResumeRequested {
      if download.isHostedByStore, transaction.queue.finishes > 0, !transaction.queue.isOpen {
        let occasion = "\(transaction.queue.finishes) \(name.text)"
        noteOnce("download-after-finish", seen, transaction, occasion)
      }
    }
    guard seen.kind == .downloadRequested else { return }
    if isThereAlready(download, transaction, device: device) { note("redundant-download", seen) }
    checkStorm(seen, transaction)
  }

  /// Updates a download to the state that its newest event reports.
  private func advance(_ download: inout Download, _ seen: Seen) {
    download.newestEvent = seen
    let next: DownloadState
    switch seen.kind {
    case .downloadRequested:
      download.wasRequested = true
      next = .requested
    case .downloadWaiting: next = .waiting
    case .downloadProgressed: next = .active
    case .downloadPaused: next = .paused
    case .downloadFinished: next = .finished
    case .downloadFailed: next = .failed
    case .downloadCancelled: next = .cancelled
    default: return
    }
    if next == .requested || next.hasEnded { download.attempt = nil }
    if next == .requested || next == .finished { download.isCancelledForGood = false }
    if !download.isCancelledForGood { download.state = next }
  }

  private func progress(_ seen: Seen, _ download: inout Download) {
    let now = launch[seen.event.device] ?? 0
    if download.attempt?.launch != now { download.attempt = nil }
    var attempt = download.attempt ?? Download.Attempt(launch: now)
    if case .number(let text)? = seen.value("progress"), let progress = Double(text) {
      if let highest = attempt.highest, progress < highest, !attempt.wasTold {
        attempt.wasTold = true
        note("progress-regressed", seen)
      }
      attempt.highest = max(attempt.highest ?? progress, progress)
    }
    download.attempt = attempt
  }

  private func checkStorm(_ seen: Seen, _ transaction: Transaction) {
    let device = seen.event.device
    guard let number = transaction.queue.restores[device], !restores[number].stormWasTold else {
      return
    }
    var running = 0
    for transaction in restores[number].transactions {
      for (id, download) in transaction.queue.downloads where id.device == device {
        if download.wasRequested, !download.state.hasEnded { running += 1 }
      }
    }
    if running > 10 {
      restores[number].stormWasTold = true
      note("restore-storm", seen)
    }
  }
}
