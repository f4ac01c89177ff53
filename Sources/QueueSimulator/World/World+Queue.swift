internal import LedgerEvents

// The store and the payment queue. Sources of the rules: Apple's documentation of SKPaymentQueue,
// SKPaymentTransactionObserver, SKPaymentTransaction and SKDownload, and the reports named below.
extension World {
  /// The store answers a payment.
  ///
  /// A transaction has an identifier only once it is purchased or restored
  /// (`SKPaymentTransaction.transactionIdentifier`).
  mutating func authorize(_ device: Int, _ slot: Int) {
    let transaction = devices[device].slots[slot]
    switch transaction.outcome {
    case .purchased:
      if sells(transaction, on: device) { takePayment(device, slot) } else { swallow(device, slot) }
    case .deferred:
      devices[device].slots[slot].state = .deferred
    case .failed, .cancelled:
      devices[device].slots[slot].state = .failed
      devices[device].slots[slot].wasCancelled = transaction.outcome == .cancelled
    case .interrupted:
      // Reported as failed while the customer sorts something out, then bought all the same:
      // SwiftyStoreKit issues 537 and 623, cordova-plugin-purchase issue 1243.
      devices[device].slots[slot].state = .failed
      var bought = QueueTransaction(product: transaction.product, account: transaction.account)
      bought.quantity = transaction.quantity
      bought.isPending = false
      devices[device].slots.append(bought)
    }
    devices[device].slots[slot].isPending = !devices[device].slots[slot].isGone
  }

  /// An unfinished purchase of a consumable blocks the next sale of it: the store says that it was
  /// bought already and calls nobody back (InAppBillingPlugin issue 102, RMStore issue 190).
  func sells(_ transaction: QueueTransaction, on device: Int) -> Bool {
    guard cast.products[Int(transaction.product)].isConsumable else { return true }
    return !devices[device].slots.contains {
      $0.product == transaction.product && $0.state == .purchased && !$0.isGone
    }
  }

  mutating func swallow(_ device: Int, _ slot: Int) {
    devices[device].slots[slot].isGone = true
    devices[device].slots[slot].isPending = false
    for other in devices[device].slots.indices
    where devices[device].slots[other].product == devices[device].slots[slot].product
      && devices[device].slots[other].state == .purchased && !devices[device].slots[other].isGone
    {
      devices[device].slots[other].isPending = true
    }
  }

  /// The payment is taken: what was a payment is a purchase.
  private mutating func takePayment(_ device: Int, _ slot: Int) {
    let product = Int(devices[device].slots[slot].product)
    let account = Int16(cast.scenario.devices[device].account)
    // What the customer owns already costs nothing and is no second purchase; what was paid back is
    // owned no more.
    let owned = purchases.firstIndex {
      $0.product == product && $0.account == account && !$0.isConsumable && !$0.isRefunded
    }
    let id = nextTransaction
    nextTransaction += 1
    devices[device].slots[slot].state = .purchased
    devices[device].slots[slot].transaction = id
    devices[device].slots[slot].original = owned.map { purchases[$0].original } ?? id
    devices[device].slots[slot].purchasedAt = clock
    devices[device].slots[slot].purchase = Int16(owned ?? purchases.count)
    devices[device].slots[slot].version = offers[product]
    devices[device].addParts(cast.products[product].parts.count, to: slot)
    if owned != nil { return }
    purchases.append(
      Purchase(
        product: Int16(product), account: account, device: Int16(device),
        original: devices[device].slots[slot].original,
        quantity: devices[device].slots[slot].quantity, version: offers[product],
        isConsumable: cast.products[product].isConsumable))
    if cast.scenario.notifies {
      notifications.append(
        Notification(
          fact: .purchased, purchase: Int16(purchases.count - 1), purchasedAt: clock))
    }
  }

  /// The store lists the next purchase of a restore: a new transaction with the purchase's
  /// original (cordova-plugin-purchase issue 571: `…413` bought, `…537` restored).
  mutating func listRestored(_ device: Int) {
    guard let place = devices[device].toList.popLast() else { return }
    let purchase = purchases[Int(place)]
    var transaction = QueueTransaction(product: purchase.product, account: purchase.account)
    transaction.state = .restored
    transaction.transaction = nextTransaction
    transaction.original = purchase.original
    transaction.quantity = purchase.quantity
    transaction.purchasedAt = clock
    transaction.purchase = place
    transaction.version = offers[Int(purchase.product)]
    nextTransaction += 1
    devices[device].slots.append(transaction)
    devices[device].addParts(
      cast.products[Int(purchase.product)].parts.count, to: devices[device].slots.count - 1)
  }

  mutating func endRestored(_ device: Int) {
    devices[device].restore = devices[device].isEndTold ? .none : .listed
  }

  /// The store's server tells the backend.
  mutating func notify(_ place: Int, again: Bool = false, _ recording: inout Recording) {
    let notification = notifications[place]
    let purchase = purchases[Int(notification.purchase)]
    let position = Int32(recording.count)
    record(
      notification.fact == .purchased ? .transactionPurchased : .transactionRefunded,
      source: .notification, &recording
    ) { event in
      event.account = purchase.account
      event.product = purchase.product
      event.transaction = purchase.original
      event.original = purchase.original
      event.quantity = purchase.quantity
      event.purchasedAt = notification.purchasedAt
      if again { event.repeats = notification.position }
    }
    if again {
      notifications[place].isRepeated = true
    } else {
      notifications[place].position = position + 1
    }
  }
}

extension World {
  // Callbacks: only while the app runs in the foreground and has added its observer.

  /// `paymentQueue(_:updatedTransactions:)` with all that is to be told.
  mutating func tellTransactions(_ device: Int, _ recording: inout Recording) {
    for slot in devices[device].slots.indices where devices[device].slots[slot].isPending {
      tell(device, slot, &recording)
    }
  }

  private mutating func tell(_ device: Int, _ slot: Int, _ recording: inout Recording) {
    let transaction = devices[device].slots[slot]
    devices[device].slots[slot].isPending = false
    devices[device].slots[slot].isTold = true
    devices[device].slots[slot].told = transaction.state
    devices[device].slots[slot].isFinished = false
    devices[device].slots[slot].isFulfilledNow = false
    let kind: EventKind
    switch transaction.state {
    case .purchasing: kind = .transactionPurchasing
    case .deferred: kind = .transactionDeferred
    case .failed: kind = .transactionFailed
    case .purchased: kind = .transactionPurchased
    case .restored: kind = .transactionRestored
    }
    let isDelivered = transaction.state == .purchased || transaction.state == .restored
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
    if isDelivered { noteDown(device, slot) }
  }

  /// The app writes down what it was told, before it does anything else.
  private mutating func noteDown(_ device: Int, _ slot: Int) {
    let transaction = devices[device].slots[slot]
    if !transaction.isRecorded {
      devices[device].slots[slot].isRecorded = true
      devices[device].owed |= 1 << UInt64(transaction.product)
    }
    let newest = devices[device].newestPayment
    if policy.answersNewestPayment, newest >= 0, Int(newest) != slot,
      devices[device].slots[Int(newest)].product != transaction.product
    {
      devices[device].slots[slot].isMistaken = true
    }
    if policy.finishesWholeQueue, transaction.state == .restored {
      devices[device].isSweeping = true
    }
  }

  /// `paymentQueue(_:updatedDownloads:)` with all downloads whose state is to be told.
  mutating func tellDownloads(_ device: Int, _ recording: inout Recording) {
    var first: Int?
    var areAllFinished = true
    for slot in devices[device].slots.indices
    where devices[device].slots[slot].isTold && !devices[device].slots[slot].isFinished {
      for part in devices[device].parts(of: slot)
      where devices[device][slot, part].isPending {
        tell(device, slot, part, &recording)
        first = first ?? slot
        if devices[device][slot, part].told != .finished { areAllFinished = false }
      }
    }
    if areAllFinished, let first { devices[device].slots[first].isBatchDone = true }
  }

  private mutating func tell(
    _ device: Int, _ slot: Int, _ part: Int, _ recording: inout Recording
  ) {
    let version = devices[device].slots[slot].version
    let state = devices[device][slot, part]
    // Further progress of what was known to be running changes no call, until it is full.
    if state.state != .active || state.told != .active
      || max(state.progress, state.toldProgress) >= 1_000
    {
      devices[device].areCallersListed = false
    }
    devices[device][slot, part].noteTold()
    devices[device].slots[slot].lastPart = Int16(part)
    let kind: EventKind
    switch state.state {
    case .notStarted: return
    case .waiting: kind = .downloadWaiting
    case .active: kind = .downloadProgressed
    case .paused: kind = .downloadPaused
    case .finished: kind = .downloadFinished
    case .failed:
      kind = .downloadFailed
      // What failed before this launch is no news, and is tried again.
      devices[device][slot, part].isOnHold = state.isRequested
      devices[device][slot, part].isRequested = false
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

  /// Tenths of a second at the network's usual speed; −10, *not known yet*, at the very start.
  private static func remaining(of length: Int64, at progress: Int16) -> Int32 {
    if progress == 0 { return -10 }
    let left = length * Int64(1_000 - Int(progress)) / 1_000
    return Int32(clamping: left * 10 / Delays.bytesPerSecond)
  }

  /// `paymentQueue(_:removedTransactions:)`.
  mutating func tellRemoved(_ device: Int, _ recording: inout Recording) {
    for slot in devices[device].slots.indices
    where devices[device].slots[slot].isRemovalPending {
      devices[device].slots[slot].isRemovalPending = false
      record(.transactionRemoved, on: device, slot: slot, &recording)
    }
  }

  /// `paymentQueueRestoreCompletedTransactionsFinished(_:)`.
  mutating func tellRestoreFinished(_ device: Int, _ recording: inout Recording) {
    if devices[device].restore == .listed { devices[device].restore = .none }
    devices[device].isOvertaking = false
    devices[device].isEndTold = true
    record(.restoreCompleted, on: device, &recording)
  }
}
