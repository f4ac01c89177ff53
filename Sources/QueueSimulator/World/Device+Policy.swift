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

extension Device {
  /// What the app's policy does next for a transaction, from what it was told in this launch and
  /// what it keeps on its disk; `nil` where it waits. Pure: nothing changes.
  func nextCall(_ slot: Int, _ policy: AppPolicy) -> AppCall? {
    let transaction = slots[slot]
    guard transaction.isTold else { return callFromRecord(transaction) }
    if isSweeping && !transaction.isFinished && !transaction.isGone { return .finish }
    switch transaction.told {
    case .purchasing, .deferred: return nil
    case .failed: return transaction.isFinished || transaction.isGone ? nil : .finish
    case .purchased, .restored: break
    }
    if transaction.isMistaken
      || (policy.restoresWithoutDownload && transaction.told == .restored)
    {
      return closing(transaction, policy)
    }
    let isThere = isThereAlready(transaction)
    if !isThere {
      if policy.downloadsOnce && isAnotherAhead(of: slot) { return nil }
      if policy.finish == .atOnce, !transaction.isFinished, haveBeenRequested(slot) {
        return closing(transaction, policy)
      }
      if let call = startCall(slot, policy) { return call }
      if let call = installCall(slot, policy) { return call }
    }
    if isThere || mayFinish(slot, policy) { return closing(transaction, policy) }
    return nil
  }

  /// A purchase that was noted down can be credited without the queue.
  private func callFromRecord(_ transaction: QueueTransaction) -> AppCall? {
    guard transaction.isRecorded, transaction.isGone, !transaction.isFulfilled,
      !transaction.isOnHold, transaction.partCount == 0, transaction.transaction >= 0
    else { return nil }
    return .fulfill
  }

  /// Fulfil and finish, in the policy's order. What comes with content is fulfilled by installing
  /// it.
  private func closing(_ transaction: QueueTransaction, _ policy: AppPolicy) -> AppCall? {
    let isFulfilled =
      transaction.partCount > 0
      || (policy.creditsEachDelivery ? transaction.isFulfilledNow : transaction.isFulfilled)
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
  private func isThereAlready(_ transaction: QueueTransaction) -> Bool {
    if transaction.partCount == 0 { return true }
    let product = Int(transaction.product)
    return folders[product].complete >= transaction.version
      && folders[product].newest >= transaction.version
      && folders[product].installer != transaction.transaction
  }

  /// Whether another unfinished transaction brings the same content, or a newer one: it goes ahead,
  /// and what it installs will serve this one, too.
  private func isAnotherAhead(of slot: Int) -> Bool {
    for place in slots.indices where place != slot {
      guard slots[place].product == slots[slot].product, slots[place].isTold,
        !slots[place].isGone, !slots[place].isFinished,
        slots[place].told == .purchased || slots[place].told == .restored
      else { continue }
      if (slots[place].version, slot) > (slots[slot].version, place) { return true }
    }
    return false
  }

  private func haveBeenRequested(_ slot: Int) -> Bool {
    parts(of: slot).allSatisfy { part in
      let download = self[slot, part]
      return download.isRequested || download.isInstalled || download.state != .notStarted
    }
  }

  private func startCall(_ slot: Int, _ policy: AppPolicy) -> AppCall? {
    if slots[slot].isFinished || slots[slot].isGone { return nil }
    for part in parts(of: slot) {
      let download = self[slot, part]
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
      if policy.downloadsAtOnceMax < .max, running >= policy.downloadsAtOnceMax { return nil }
      return .start(part: part)
    }
    return nil
  }

  private var running: Int {
    var count = 0
    for slot in slots.indices where slots[slot].isTold && !slots[slot].isGone {
      for part in parts(of: slot) {
        let download = self[slot, part]
        if download.isRequested && !download.told.hasEnded { count += 1 }
      }
    }
    return count
  }

  private func installCall(_ slot: Int, _ policy: AppPolicy) -> AppCall? {
    let folder = Int(slots[slot].product)
    for part in parts(of: slot) {
      let download = self[slot, part]
      if download.isInstalled || download.isSkipped || download.isOnHold { continue }
      let isDone =
        download.told == .finished
        || (policy.installsAtFullProgress && download.toldProgress == 1_000
          && download.told == .active)
      guard isDone else { continue }
      if policy.finish == .beforeCopy && !slots[slot].isFinished { continue }
      if policy.skipsExistingFiles, folders[folder].newest >= 0,
        folders[folder].installer != slots[slot].transaction
      {
        return .skip(part: part)
      }
      return download.isInstalling ? .endInstall(part: part) : .beginInstall(part: part)
    }
    return nil
  }

  /// Whether the policy finishes now that nothing is left to start or install.
  private func mayFinish(_ slot: Int, _ policy: AppPolicy) -> Bool {
    var areThere = true
    var haveEnded = true
    var haveFailed = false
    var haveFinished = true
    var isAnyInstalled = false
    for part in parts(of: slot) {
      let download = self[slot, part]
      let isThere = download.isInstalled || download.isSkipped
      if !isThere { areThere = false }
      if !isThere && !download.told.hasEnded { haveEnded = false }
      if download.told == .failed || download.told == .cancelled { haveFailed = true }
      if download.told != .finished { haveFinished = false }
      if download.isInstalled { isAnyInstalled = true }
    }
    if areThere || (policy.finishesOnFailure && haveFailed && haveEnded) { return true }
    switch policy.finish {
    case .whenInstalled, .atOnce: return false
    case .beforeCopy: return haveFinished
    case .afterFirstDownload: return isAnyInstalled
    case .afterLastCallback:
      let last = Int(slots[slot].lastPart)
      return last >= 0 && haveEnded && self[slot, last].told == .finished
    case .afterBatch: return slots[slot].isBatchDone
    }
  }
}
