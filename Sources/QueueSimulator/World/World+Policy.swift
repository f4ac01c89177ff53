/// What an app calls next for a transaction.
enum AppCall: Hashable, Sendable {
  /// `SKPaymentQueue.start(_:)`.
  case start(part: Int)
  /// Begins to copy a download's files out of the cache.
  case beginInstall(part: Int)
  case endInstall(part: Int)
  /// Leaves files alone that exist already.
  case skip(part: Int)
  /// Tells the backend, which gives what was bought.
  case fulfill
  /// `SKPaymentQueue.finishTransaction(_:)`.
  case finish
}

extension World {
  /// What the app's policy does next for a transaction, from what it was told in this launch and
  /// what it keeps on its disk; `nil` where it waits. Pure: nothing changes.
  func nextCall(_ device: Int, _ slot: Int) -> AppCall? {
    let app = devices[device]
    let transaction = app.slots[slot]
    guard transaction.isTold else { return callFromRecord(transaction) }
    if app.isSweeping && !transaction.isFinished && !transaction.isGone { return .finish }
    switch transaction.told {
    case .purchasing, .deferred: return nil
    case .failed: return transaction.isFinished || transaction.isGone ? nil : .finish
    case .purchased, .restored: break
    }
    if transaction.isMistaken
      || (policy.restoresWithoutDownload && transaction.told == .restored)
    {
      return closing(transaction)
    }
    let isThere = isThereAlready(app, transaction)
    if !isThere && policy.downloadsOnce && isAhead(app, slot) { return nil }
    if !isThere {
      if policy.finish == .atOnce, !transaction.isFinished, haveBeenRequested(transaction) {
        return closing(transaction)
      }
      if let call = startCall(app, transaction) { return call }
      if let call = installCall(app, transaction) { return call }
    }
    if isThere || mayFinish(transaction) { return closing(transaction) }
    return nil
  }

  /// A purchase that was noted down can be credited without the queue.
  private func callFromRecord(_ transaction: QueueTransaction) -> AppCall? {
    guard transaction.isRecorded, transaction.isGone, !transaction.isFulfilled,
      !transaction.isOnHold, transaction.parts.isEmpty, transaction.transaction >= 0
    else { return nil }
    return .fulfill
  }

  /// Fulfil and finish, in the policy's order.
  private func closing(_ transaction: QueueTransaction) -> AppCall? {
    let isFulfilled =
      policy.creditsEachDelivery ? transaction.isFulfilledNow : transaction.isFulfilled
    let mayFulfill = !isFulfilled && !transaction.isOnHold
    let mayFinish =
      !transaction.isFinished && !transaction.isGone
      && !(policy.forgetsRestored && transaction.told == .restored)
    if policy.finishesBeforeFulfillment {
      return mayFinish ? .finish : mayFulfill ? .fulfill : nil
    }
    if !isFulfilled { return mayFulfill ? .fulfill : nil }
    return mayFinish ? .finish : nil
  }

  /// Whether the content, in this version or a newer one, came whole by another transaction: the
  /// newest install is not this transaction's (`model.md` 17).
  private func isThereAlready(_ app: Device, _ transaction: QueueTransaction) -> Bool {
    if transaction.parts.isEmpty { return true }
    let folder = app.folders[Int(transaction.product)]
    return folder.complete >= transaction.version && folder.newest >= transaction.version
      && folder.installer != transaction.transaction
  }

  /// Whether another unfinished transaction brings the same content, or a newer one: it goes ahead,
  /// and what it installs will serve this one, too.
  private func isAhead(_ app: Device, _ slot: Int) -> Bool {
    let transaction = app.slots[slot]
    for place in app.slots.indices where place != slot {
      let other = app.slots[place]
      guard other.product == transaction.product, other.isTold, !other.isGone,
        !other.isFinished, other.told == .purchased || other.told == .restored
      else { continue }
      if (other.version, slot) > (transaction.version, place) { return true }
    }
    return false
  }

  private func haveBeenRequested(_ transaction: QueueTransaction) -> Bool {
    transaction.parts.allSatisfy { $0.isRequested || $0.isInstalled || $0.state != .notStarted }
  }

  private func startCall(_ app: Device, _ transaction: QueueTransaction) -> AppCall? {
    if transaction.isFinished || transaction.isGone { return nil }
    for part in transaction.parts.indices {
      let download = transaction.parts[part]
      if download.isInstalled || download.isSkipped || download.isRequested
        || download.isOnHold || download.isHeldByCustomer
      {
        continue
      }
      // At a redelivery the app reads the state that the queue holds; what runs or has come is
      // waited for.
      switch download.state {
      case .waiting, .active, .finished: continue
      case .failed, .cancelled: if policy.finishesOnFailure { continue }
      case .notStarted, .paused: break
      }
      if policy.downloadsAtOnceMax < .max, running(app) >= policy.downloadsAtOnceMax {
        return nil
      }
      return .start(part: part)
    }
    return nil
  }

  private func running(_ app: Device) -> Int {
    var count = 0
    for slot in app.slots where slot.isTold && !slot.isGone {
      for part in slot.parts where part.isRequested && !part.told.hasEnded { count += 1 }
    }
    return count
  }

  private func installCall(_ app: Device, _ transaction: QueueTransaction) -> AppCall? {
    for part in transaction.parts.indices {
      let download = transaction.parts[part]
      if download.isInstalled || download.isSkipped || download.isOnHold { continue }
      let isDone =
        download.told == .finished
        || (policy.installsAtFullProgress && download.toldProgress == 1_000
          && download.told == .active)
      guard isDone else { continue }
      if policy.finish == .beforeCopy && !transaction.isFinished { continue }
      if policy.skipsExistingFiles, app.folders[Int(transaction.product)].newest >= 0,
        app.folders[Int(transaction.product)].installer != transaction.transaction
      {
        return .skip(part: part)
      }
      return download.isInstalling ? .endInstall(part: part) : .beginInstall(part: part)
    }
    return nil
  }

  /// Whether the policy finishes now that nothing is left to start or install.
  private func mayFinish(_ transaction: QueueTransaction) -> Bool {
    let parts = transaction.parts
    let areThere = parts.allSatisfy { $0.isInstalled || $0.isSkipped }
    if areThere { return true }
    let haveEnded = parts.allSatisfy { $0.isInstalled || $0.isSkipped || $0.told.hasEnded }
    let haveFailed = parts.contains { $0.told == .failed || $0.told == .cancelled }
    if policy.finishesOnFailure && haveFailed && haveEnded { return true }
    switch policy.finish {
    case .whenInstalled, .atOnce: return false
    case .beforeCopy: return parts.allSatisfy { $0.told == .finished }
    case .afterFirstDownload: return parts.contains { $0.isInstalled }
    case .afterLastCallback:
      return transaction.lastPart >= 0 && haveEnded
        && parts[Int(transaction.lastPart)].told == .finished
    case .afterBatch: return transaction.isBatchDone
    }
  }
}
