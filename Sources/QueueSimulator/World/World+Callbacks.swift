internal import LedgerEvents

// Callbacks of the queue, and how the app reacts. The queue calls back only while the app runs in
// the foreground and has added an observer.
extension World {
  /// `paymentQueue(_:updatedTransactions:)` with all pending transactions.
  mutating func reportTransactions(_ device: Int, _ recording: inout Recording) {
    var repeated: [(slot: Int, state: QueueTransaction.State)] = []
    for slot in devices[device].slots.indices where devices[device].slots[slot].isPending {
      let state = receive(device, slot)
      report(device, slot, state, &recording)
      if devices[device].observerCount > 1 { repeated.append((slot, state)) }
    }
    for (slot, state) in repeated { report(device, slot, state, &recording) }
  }

  /// The app receives a callback about a transaction; returns the state that is reported.
  private mutating func receive(
    _ device: Int, _ slot: Int
  ) -> QueueTransaction.State {
    devices[device].slots[slot].isPending = false
    devices[device].slots[slot].isReported = true
    let state = devices[device].slots[slot].state
    if devices[device].slots[slot].isContradicted {
      devices[device].slots[slot].isContradicted = false
      if policy.lastStateDecides { takeBack(device, slot) }
      return .failed
    }
    devices[device].slots[slot].reported = state
    devices[device].slots[slot].isFinished = false
    devices[device].slots[slot].isFinishedTwice = false
    devices[device].slots[slot].unfulfilled = devices[device].observerCount
    if state == .purchased || state == .restored { noteDown(device, slot) }
    return state
  }

  /// The app believes that the purchase has failed, and deletes it from its notes.
  private mutating func takeBack(_ device: Int, _ slot: Int) {
    devices[device].slots[slot].reported = .failed
    devices[device].slots[slot].isRecorded = false
    noteDelivered(device, slot)
  }

  private mutating func report(
    _ device: Int, _ slot: Int, _ state: QueueTransaction.State, _ recording: inout Recording
  ) {
    let transaction = devices[device].slots[slot]
    let kind: EventKind
    switch state {
    case .purchasing: kind = .transactionPurchasing
    case .deferred: kind = .transactionDeferred
    case .failed: kind = .transactionFailed
    case .purchased: kind = .transactionPurchased
    case .restored: kind = .transactionRestored
    }
    let isDelivered = state == .purchased || state == .restored
    record(kind, on: device, slot: slot, &recording) { event in
      event.payment = transaction.payment
      if isDelivered {
        event.original = transaction.original
        event.quantity = transaction.quantity
        event.purchasedAt = transaction.purchasedAt
        event.version = transaction.version
      } else if kind == .transactionFailed {
        event.note = transaction.wasCancelled ? .cancelledByCustomer : .paymentRefused
      }
    }
  }

  /// The app notes a delivery on its disk before it does anything else.
  private mutating func noteDown(_ device: Int, _ slot: Int) {
    if policy.givesToSignedIn {
      let account = devices[device].account
      devices[device].slots[slot].account = account
      devices[device].slots[slot].holder = account
      devices[device].slots[slot].folder = folder(
        of: account, devices[device].slots[slot].product)
    }
    let transaction = devices[device].slots[slot]
    // The app treats this delivery as a repetition of one that it has handled.
    if transaction.isAnswered { return }
    if !transaction.isRecorded {
      devices[device].slots[slot].isRecorded = true
      devices[device].owed[Int(transaction.holder)] |= 1 << UInt64(transaction.product)
    }
    takeForAnswer(device, slot)
    if policy.finishesWholeQueue, transaction.state == .restored {
      devices[device].isSweeping = true
    }
  }

  /// Some apps treat any delivery as the answer to their newest payment.
  private mutating func takeForAnswer(_ device: Int, _ slot: Int) {
    let newest = Int(devices[device].newestPayment)
    guard !newest.isAbsent, newest != slot else { return }
    let isSameProduct =
      devices[device].slots[newest].product == devices[device].slots[slot].product
    if policy.answersNewestPayment && !isSameProduct {
      devices[device].slots[slot].isMistaken = true
    }
    if policy.answersWithOld, isSameProduct, !devices[device].slots[newest].isDelivered {
      devices[device].slots[newest].isAnswered = true
    }
  }

  /// The app notes that a purchase no longer has to be delivered.
  mutating func noteDelivered(_ device: Int, _ slot: Int) {
    let holder = Int(devices[device].slots[slot].holder)
    devices[device].owed[holder] &= ~(1 << UInt64(devices[device].slots[slot].product))
  }

  /// `paymentQueue(_:updatedDownloads:)` with all pending downloads.
  mutating func reportDownloads(_ device: Int, _ recording: inout Recording) {
    var repeated: [(slot: Int, part: Int)] = []
    var first: Int?
    var areAllFinished = true
    for slot in devices[device].slots.indices
    where devices[device].slots[slot].isReported && !devices[device].slots[slot].isFinished {
      for part in devices[device].parts(of: slot)
      where devices[device][slot, part].isPending {
        receive(device, slot, part)
        report(device, slot, part, &recording)
        if devices[device].observerCount > 1 { repeated.append((slot, part)) }
        first = first ?? slot
        if devices[device][slot, part].reported != .finished { areAllFinished = false }
      }
    }
    if areAllFinished, let first { devices[device].slots[first].isBatchDone = true }
    for (slot, part) in repeated { report(device, slot, part, &recording) }
  }

  /// The app receives a callback about a download.
  private mutating func receive(_ device: Int, _ slot: Int, _ part: Int) {
    let state = devices[device][slot, part]
    // More progress of a running download does not change the next call, until it is full.
    if state.state != .active || state.reported != .active
      || max(state.progress, state.reportedProgress) >= 1_000
    {
      devices[device].areCallersListed = false
    }
    devices[device][slot, part].noteReported()
    devices[device].slots[slot].lastPart = Int16(part)
    if state.state == .failed {
      // A download that failed before this launch is tried again.
      devices[device][slot, part].isOnHold = state.isRequested
      devices[device][slot, part].isRequested = false
    }
  }

  private mutating func report(
    _ device: Int, _ slot: Int, _ part: Int, _ recording: inout Recording
  ) {
    let version = devices[device].slots[slot].version
    let state = devices[device][slot, part]
    let kind: EventKind
    switch state.state {
    case .notStarted: return
    case .waiting: kind = .downloadWaiting
    case .active: kind = .downloadProgressed
    case .paused: kind = .downloadPaused
    case .finished: kind = .downloadFinished
    case .failed: kind = .downloadFailed
    case .cancelled: kind = .downloadCancelled
    }
    let length = cast.products[Int(devices[device].slots[slot].product)].parts[part].length
    let isHostless = cast.scenario.devices[device].isSimulator
    record(kind, on: device, slot: slot, part: part, &recording) { event in
      switch kind {
      case .downloadWaiting: event.progress = 0
      case .downloadProgressed:
        event.progress = state.progress
        event.remaining = Self.remaining(of: length, at: state.progress)
      case .downloadFinished:
        event.progress = 1_000
        event.version = version
      case .downloadFailed: event.note = isHostless ? .simulatorHostsNothing : .networkLost
      default: break
      }
    }
  }

  /// Tenths of a second at the usual speed of the network; unknown at the very start.
  private static func remaining(of length: Int64, at progress: Int16) -> Int32 {
    if progress == 0 { return SimulatedEvent.remainingUnknown }
    let left = length * Int64(1_000 - Int(progress)) / 1_000
    return Int32(clamping: left * 10 / Delays.bytesPerSecond)
  }

  /// `paymentQueue(_:removedTransactions:)`.
  mutating func reportRemoved(_ device: Int, _ recording: inout Recording) {
    for slot in devices[device].slots.indices
    where devices[device].slots[slot].isRemovalPending {
      devices[device].slots[slot].isRemovalPending = false
      for _ in 0..<devices[device].observerCount {
        record(.transactionRemoved, on: device, slot: slot, &recording)
      }
    }
  }

  /// `paymentQueueRestoreCompletedTransactionsFinished(_:)`.
  mutating func reportRestoreFinished(_ device: Int, _ recording: inout Recording) {
    if devices[device].restore == .listed { devices[device].restore = .none }
    devices[device].isOvertaking = false
    devices[device].isEndReported = true
    devices[device].isTakingAway =
      policy.restoreIsAll && devices[device].takenAway(cast.products.count) != nil
    for _ in 0..<devices[device].observerCount {
      record(.restoreCompleted, on: device, &recording)
    }
  }
}
