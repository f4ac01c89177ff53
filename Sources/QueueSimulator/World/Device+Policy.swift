/// What an app calls next for a transaction.
enum AppCall: Hashable, Sendable {
  /// `SKPaymentQueue.start(_:)`.
  case start(part: Int)
  /// Begins to copy a download's files out of the cache.
  case beginInstall(part: Int)
  case endInstall(part: Int)
  /// Keeps a file that exists already.
  case skip(part: Int)
  /// Asks the backend to credit the purchase.
  case fulfill
  /// Removes the installed content.
  case takeBack
  /// `SKPaymentQueue.finishTransaction(_:)`.
  case finish
}

extension Device {
  /// The same as `nextCall`. It changes nothing, but it is mutating so that the device is read in
  /// place and not copied.
  mutating func call(_ slot: Int, _ cast: Cast) -> AppCall? { nextCall(slot, cast) }

  /// The next call of the app's policy for a transaction, decided by what the queue has reported in
  /// this launch and by the app's disk; `nil` if the app waits. It changes nothing.
  ///
  /// It runs for every transaction before every action, so it reads single fields in place instead
  /// of copying a transaction or download.
  func nextCall(_ slot: Int, _ cast: Cast) -> AppCall? {
    guard slots[slot].isReported else { return callFromRecord(slot) }
    if isSweeping && !slots[slot].isClosed { return .finish }
    switch slots[slot].reported {
    case .purchasing, .deferred: return nil
    case .failed: return callAfterFailure(slot, cast)
    case .purchased, .restored: break
    }
    if slots[slot].isFinished && cast.policy.observerCount > 1 {
      return slots[slot].isFinishedTwice ? nil : .finish
    }
    if slots[slot].isAnswered { return slots[slot].isClosed ? nil : .finish }
    // This policy waits for a purchased transaction and leaves the restored one on the queue.
    if cast.policy.takesPurchasedOnly, slots[slot].reported == .restored,
      !slots[slot].payment.isAbsent
    {
      return nil
    }
    if slots[slot].isMistaken
      || (cast.policy.restoresWithoutDownload && slots[slot].reported == .restored)
    {
      return closing(slot, cast)
    }
    let isThere = isThereAlready(slot)
    if !isThere {
      if cast.policy.downloadsOnce && isAnotherAhead(of: slot) { return nil }
      if cast.policy.finish == .atOnce, !slots[slot].isFinished, haveBeenRequested(slot) {
        return closing(slot, cast)
      }
      if isOutdated(slot) { return nil }
      if let call = startCall(slot, cast) { return call }
      if let call = installCall(slot, cast) { return call }
    }
    if isThere || mayFinish(slot, cast) { return closing(slot, cast) }
    return nil
  }

  /// A failed transaction is finished; one policy removes its installed content first.
  private func callAfterFailure(_ slot: Int, _ cast: Cast) -> AppCall? {
    if slots[slot].isClosed { return nil }
    let hasInstalled =
      !slots[slot].transaction.isAbsent
      && folders[Int(slots[slot].folder)].installer == slots[slot].transaction
    return cast.policy.lastStateDecides && hasInstalled ? .takeBack : .finish
  }

  /// A purchase that the app has noted can be credited without the queue.
  private func callFromRecord(_ slot: Int) -> AppCall? {
    guard slots[slot].isRecorded, slots[slot].hasLeft, !slots[slot].isFulfilled,
      !slots[slot].isOnHold, slots[slot].partCount == 0, !slots[slot].transaction.isAbsent
    else { return nil }
    return .fulfill
  }

  /// Fulfils and finishes, in the policy's order. A product with content is fulfilled by installing
  /// it.
  private func closing(_ slot: Int, _ cast: Cast) -> AppCall? {
    let isFulfilled =
      slots[slot].partCount > 0
      || (cast.policy.creditsEachDelivery
        ? slots[slot].unfulfilled == 0
        : slots[slot].fulfilments >= cast.policy.observerCount)
    let mayFulfill = !isFulfilled && !slots[slot].isOnHold
    let mayFinish =
      !slots[slot].isClosed && !(cast.policy.forgetsRestored && slots[slot].reported == .restored)
    if cast.policy.finishesAfterRejection && slots[slot].isRejected {
      return mayFinish ? .finish : nil
    }
    if cast.policy.finishesBeforeFulfillment {
      return mayFinish ? .finish : mayFulfill ? .fulfill : nil
    }
    if !isFulfilled { return mayFulfill ? .fulfill : nil }
    return mayFinish ? .finish : nil
  }

  /// Whether another transaction has installed all of the content in this version or a newer one,
  /// so that the newest install is not this transaction's (`model.md` 17).
  private func isThereAlready(_ slot: Int) -> Bool {
    if slots[slot].partCount == 0 { return true }
    let folder = Int(slots[slot].folder)
    return folders[folder].complete >= slots[slot].version
      && folders[folder].newest >= slots[slot].version
      && folders[folder].installer != slots[slot].transaction
  }

  /// Whether the device has part of a newer version and no complete version that is new enough.
  /// This transaction's content is then not installed over the newer part.
  ///
  /// The transaction that provided the newer part has left the queue. A restore delivers it again.
  func isOutdated(_ slot: Int) -> Bool {
    guard slots[slot].partCount > 0 else { return false }
    return folders[Int(slots[slot].folder)].newest > slots[slot].version && !isThereAlready(slot)
  }

  /// Whether another unfinished transaction provides the same content or a newer version. It goes
  /// first, and its install serves this transaction, too.
  private func isAnotherAhead(of slot: Int) -> Bool {
    let folder = slots[slot].folder
    let version = slots[slot].version
    for index in slots.indices where slots[index].folder == folder && index != slot {
      guard slots[index].isReported, !slots[index].isClosed,
        slots[index].reported == .purchased || slots[index].reported == .restored
      else { continue }
      if (slots[index].version, slot) > (version, index) { return true }
    }
    return false
  }

  private func haveBeenRequested(_ slot: Int) -> Bool {
    slots[slot].partIndices.allSatisfy {
      parts[$0].isRequested || parts[$0].isInstalled || parts[$0].state != .notStarted
    }
  }

  private func startCall(_ slot: Int, _ cast: Cast) -> AppCall? {
    if slots[slot].isClosed { return nil }
    let indices = slots[slot].partIndices
    for index in indices {
      if parts[index].isThere || parts[index].isRequested || parts[index].isOnHold
        || parts[index].isHeldByCustomer
      {
        continue
      }
      // At a redelivery the app reads the queue's state; it waits for downloads that are running or
      // finished.
      switch parts[index].state {
      case .waiting, .active, .finished: continue
      case .failed, .cancelled: if cast.policy.finishesOnFailure { continue }
      case .notStarted, .paused: break
      }
      let most = cast.policy.downloadsAtOnceMax
      if most < .max, running >= most { return nil }
      return .start(part: index - indices.lowerBound)
    }
    return nil
  }

  private var running: Int {
    var count = 0
    for slot in slots.indices where slots[slot].isReported && !slots[slot].hasLeft {
      for index in slots[slot].partIndices
      where parts[index].isRequested && !parts[index].reported.hasEnded {
        count += 1
      }
    }
    return count
  }

  private func installCall(_ slot: Int, _ cast: Cast) -> AppCall? {
    let indices = slots[slot].partIndices
    for index in indices {
      if parts[index].isThere || parts[index].isOnHold { continue }
      let isDone =
        parts[index].reported == .finished
        || (cast.policy.installsAtFullProgress && parts[index].reportedProgress == 1_000
          && parts[index].reported == .active)
      guard isDone else { continue }
      if cast.policy.finish == .beforeCopy && !slots[slot].isFinished { continue }
      let part = index - indices.lowerBound
      let folder = Int(slots[slot].folder)
      if cast.policy.skipsExistingFiles, !folders[folder].newest.isAbsent,
        folders[folder].installer != slots[slot].transaction
      {
        return .skip(part: part)
      }
      return parts[index].isInstalling ? .endInstall(part: part) : .beginInstall(part: part)
    }
    return nil
  }

  /// Whether the policy finishes when nothing is left to start or install.
  private func mayFinish(_ slot: Int, _ cast: Cast) -> Bool {
    let indices = slots[slot].partIndices
    if indices.allSatisfy({ parts[$0].isThere }) { return true }
    if cast.policy.finishesOnFailure, haveEnded(indices),
      indices.contains(where: { parts[$0].reported == .failed || parts[$0].reported == .cancelled })
    {
      return true
    }
    switch cast.policy.finish {
    case .whenInstalled, .atOnce: return false
    case .beforeCopy: return indices.allSatisfy { parts[$0].reported == .finished }
    case .afterFirstDownload: return indices.contains { parts[$0].isInstalled }
    case .afterLastCallback:
      let last = Int(slots[slot].lastPart)
      return !last.isAbsent && haveEnded(indices) && self[slot, last].reported == .finished
    case .afterBatch: return slots[slot].isBatchDone
    }
  }

  private func haveEnded(_ indices: Range<Int>) -> Bool {
    indices.allSatisfy { parts[$0].isThere || parts[$0].reported.hasEnded }
  }
}

extension Device {
  /// The next product whose content the signed-in customer has and the newest restore did not
  /// deliver; `nil` if there is none. Products with a transaction on the queue do not count.
  func takenAway(_ productCount: Int) -> Int16? {
    let first = Int(account) * productCount
    let product = (0..<productCount).first { product in
      !folders[first + product].newest.isAbsent
        && !slots.indices.contains { slot in
          Int(slots[slot].folder) == first + product
            && (!slots[slot].isClosed
              || (slot >= Int(restoreStart) && slots[slot].state == .restored))
        }
    }
    return product.map { Int16($0) }
  }
}
