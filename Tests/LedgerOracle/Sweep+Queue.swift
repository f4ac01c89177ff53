import LedgerEvents

extension Sweep {
  func deliver(_ seen: Seen, _ transaction: Transaction) {
    let device = seen.event.device
    let wasHere = transaction.queue.devices.contains(device)
    if wasHere, transaction.queue.isOpen {
      note("redelivered", seen)
    } else if wasHere, transaction.queue.finishes > 0 {
      note("delivered-after-finish", seen)
    }
    switch seen.kind {
    case .transactionPurchased:
      if !transaction.queue.wasPurchased { checkEarlierFailure(seen, transaction) }
      transaction.queue.wasPurchased = true
    case .transactionRestored:
      if seen.event.originalTransaction == nil { note("restored-without-original", seen) }
      if !wasHere { joinRestore(seen, transaction) }
    default:
      if seen.value("error") == nil { note("failed-without-error", seen) }
      let reported = transaction.queue.reported?.kind
      if reported == .transactionPurchased || reported == .transactionRestored {
        noteOnce("failed-after-purchase", seen, transaction)
      }
      if let product = world.product(of: seen) {
        failuresByProduct[product, default: []].append(seen)
      }
    }
    let opensNothing = seen.kind == .transactionFailed && seen.event.source?.kind == .storekit2
    if transaction.queue.openedBy == nil, !opensNothing {
      transaction.queue.openedBy = seen
      transaction.queue.openings += 1
    }
    checkLoop(seen, transaction)
    transaction.queue.newestDelivery = seen
    transaction.queue.devices.insert(device)
    announce(seen, transaction)
  }

  /// Checks `delivery-loop`: launches with a delivery while no download of it was in progress.
  private func checkLoop(_ seen: Seen, _ transaction: Transaction) {
    let device = seen.event.device
    let isLoading = transaction.queue.downloads.contains { id, download in
      id.device == device && download.state != .announced && !download.state.hasEnded
    }
    if isLoading { return }
    let spans = transaction.queue.launches[device, default: []].union([launch[device] ?? 0])
    transaction.queue.launches[device] = spans
    if spans.count >= 3 {
      noteOnce("delivery-loop", seen, transaction, "\(transaction.queue.openings)")
    }
  }

  private func joinRestore(_ seen: Seen, _ transaction: Transaction) {
    let device = seen.event.device
    guard let number = restoreOf[device], !restores[number].isOver else { return }
    if restores[number].completedBy != nil {
      noteOnce("restore-completed-early", seen, transaction)
    }
    if let original = transaction.statedOriginal,
      restores[number].transactions.contains(where: { $0.statedOriginal == original }),
      world.kind(of: transaction.chain) != "autoRenewable"
    {
      noteOnce("restored-twice", seen, transaction)
    }
    restores[number].transactions.append(transaction)
    transaction.queue.restores[device] = number
  }

  func restore(_ seen: Seen) {
    let device = seen.event.device
    switch seen.kind {
    case .restoreRequested:
      endRestore(on: device)
      restoreOf[device] = restores.count
      restores.append(Restore(request: seen, device: device))
    default:
      // An answer applies to every earlier request on that device.
      for number in restores.indices where restores[number].device == device {
        restores[number].isAnswered = true
      }
      guard seen.kind == .restoreCompleted, let number = restoreOf[device] else { return }
      if !restores[number].isOver, restores[number].completedBy == nil {
        restores[number].completedBy = seen
      }
    }
  }

  func endRestore(on device: Name?) {
    if let number = restoreOf[device] { restores[number].isOver = true }
  }

  /// Handles the other parts of a queue fact: reports, finishes and removals.
  func queue(_ seen: Seen, _ transaction: Transaction) {
    switch seen.kind {
    case .transactionPurchasing, .transactionDeferred, .transactionPurchased,
      .transactionRestored, .transactionFailed:
      transaction.queue.reported = seen
    case .transactionRemoved:
      if transaction.queue.isOpen {
        noteOnce("removed-without-finish", seen, transaction, "\(transaction.queue.finishes)")
      }
      transaction.queue.wasRemoved = true
    case .transactionFinished: finish(seen, transaction)
    default: break
    }
  }

  private func finish(_ seen: Seen, _ transaction: Transaction) {
    let queue = transaction.queue
    if queue.isOpen, queue.newestDelivery?.kind != .transactionFailed {
      close(seen, transaction)
    } else if !queue.isKnown {
      noteOnce("finished-unknown", seen, transaction)
    } else if !queue.isDelivered {
      let kind = queue.reported?.kind
      if kind == .transactionPurchasing || kind == .transactionDeferred {
        note("finished-while-purchasing", seen)
      }
    } else if !queue.isOpen, queue.finishes > 0 {
      note("finished-twice", seen)
    }
    guard queue.isDelivered else { return }
    for (id, download) in queue.downloads where id.device == seen.event.device {
      guard download.isHostedByStore, !download.state.hasEnded else { continue }
      transaction.queue.downloads[id]?.state = .cancelled
      transaction.queue.downloads[id]?.isCancelledForGood = true
      transaction.queue.downloads[id]?.attempt = nil
    }
    transaction.queue.openedBy = nil
    transaction.queue.finishes += 1
    transaction.queue.launches = [:]
  }

  /// Checks the rules about a closing finish.
  private func close(_ seen: Seen, _ transaction: Transaction) {
    let device = seen.event.device
    let queue = transaction.queue
    let looked = queue.downloads.filter { id, download in
      id.device == device && download.isHostedByStore
        && !isThereAlready(download, transaction, device: device)
    }
    let installs = queue.installs
    if looked.values.contains(where: { !$0.state.hasEnded }) {
      let wasStarted = queue.downloads.contains { $0.key.device == device && $0.value.wasRequested }
      let isRestore = queue.newestDelivery?.kind == .transactionRestored
      note(
        isRestore && !wasStarted ? "finished-without-download" : "finished-before-download", seen)
    }
    if looked.values.contains(where: { $0.state == .failed || $0.state == .cancelled }) {
      note("finished-after-failed-download", seen)
    }
    let finished = looked.filter { $0.value.state == .finished }.map(\.key)
    if finished.contains(where: { installs[$0] == nil }) {
      note("finished-before-install", seen)
    }
    if looked.keys.contains(where: {
      installs[$0].map { $0.state != .installed } ?? false
    }) {
      note("install-failed-then-finished", seen)
    }
    let awaited = finished.filter { !(installs[$0]?.wasInstalled ?? false) }
    guard !awaited.isEmpty else { return }
    transaction.queue.closings.append(ClosingFinish(device: device, awaited: awaited))
    closedOn[device, default: []].append(transaction)
  }

  /// Checks `content-missing-at-install`, for the closing finishes of a transaction on one device.
  func checkContent(_ seen: Seen, _ transaction: Transaction) {
    let device = seen.event.device
    var left: [ClosingFinish] = []
    for closing in transaction.queue.closings {
      let missing = closing.awaited.filter {
        !(transaction.queue.installs[$0]?.wasInstalled ?? false)
      }
      if closing.device == device, !missing.isEmpty {
        note("content-missing-at-install", seen)
      } else {
        left.append(closing)
      }
    }
    transaction.queue.closings = left
  }

  func purge(_ seen: Seen) {
    for transaction in closedOn.removeValue(forKey: seen.event.device) ?? [] {
      checkContent(seen, transaction)
    }
  }
}
