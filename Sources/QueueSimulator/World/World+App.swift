internal import LedgerEvents

extension World {
  /// The app makes one call.
  mutating func runApp(_ device: Int, _ slot: Int, _ recording: inout Recording) {
    if slot.isAbsent {
      if devices[device].isStarting {
        addObserver(device, &recording)
      } else if devices[device].isTakingAway {
        takeAway(device, &recording)
      } else {
        restore(device, &recording)
      }
      return
    }
    switch devices[device].call(slot, cast) {
    case .start(let part): start(device, slot, part, &recording)
    case .beginInstall(let part): beginInstall(device, slot, part, &recording)
    case .endInstall(let part): endInstall(device, slot, part, &recording)
    case .skip(let part): devices[device][slot, part].isSkipped = true
    case .fulfill: fulfill(device, slot, &recording)
    case .takeBack: takeBack(device, slot, &recording)
    case .finish: finish(device, slot, &recording)
    case nil: break
    }
  }

  private mutating func start(
    _ device: Int, _ slot: Int, _ part: Int, _ recording: inout Recording
  ) {
    devices[device][slot, part].isRequested = true
    devices[device][slot, part].reported = .notStarted
    devices[device][slot, part].reportedProgress = 0
    let state = devices[device][slot, part].state
    record(
      state == .paused ? .downloadResumeRequested : .downloadRequested, on: device, slot: slot,
      part: part, &recording)
    guard state == .notStarted || state.hasEnded || state == .paused else { return }
    devices[device][slot, part].state = .waiting
    devices[device][slot, part].isPending = true
    if state != .paused { devices[device][slot, part].progress = 0 }
  }

  private mutating func beginInstall(
    _ device: Int, _ slot: Int, _ part: Int, _ recording: inout Recording
  ) {
    let version = devices[device].slots[slot].version
    devices[device][slot, part].isInstalling = true
    record(
      .contentInstallStarted, on: device, slot: slot, part: part, source: .app, &recording
    ) { $0.version = version }
  }

  private mutating func endInstall(
    _ device: Int, _ slot: Int, _ part: Int, _ recording: inout Recording
  ) {
    let transaction = devices[device].slots[slot]
    devices[device][slot, part].isInstalling = false
    // After the finish the files are gone (cordova-plugin-purchase issue 1130, iOS 14).
    let hasFiles = devices[device][slot, part].isCached
    guard hasFiles, !devices[device].isDiskFull else {
      devices[device][slot, part].isOnHold = true
      devices[device].isDiskFull = false
      record(
        .contentInstallFailed, on: device, slot: slot, part: part, source: .app, &recording
      ) { $0.note = hasFiles ? .diskFull : .fileMissing }
      return
    }
    devices[device][slot, part].isInstalled = true
    devices[device].folders[Int(transaction.folder)].install(
      part: part, of: Int(transaction.partCount), version: transaction.version,
      by: transaction.transaction)
    record(
      .contentInstalled, on: device, slot: slot, part: part, source: .app, &recording
    ) { $0.version = transaction.version }
  }

  /// The app removes what a transaction has installed.
  private mutating func takeBack(_ device: Int, _ slot: Int, _ recording: inout Recording) {
    devices[device].folders[Int(devices[device].slots[slot].folder)].empty()
    for part in devices[device].parts(of: slot) {
      devices[device][slot, part].isInstalled = false
    }
    record(.contentRemoved, on: device, slot: slot, source: .app, &recording)
  }

  /// The app removes the content of one product that the restore did not deliver.
  private mutating func takeAway(_ device: Int, _ recording: inout Recording) {
    let productCount = cast.products.count
    guard let product = devices[device].takenAway(productCount) else { return }
    let folder = folder(of: devices[device].account, product)
    devices[device].folders[Int(folder)].empty()
    record(.contentRemoved, on: device, source: .app, &recording) { $0.product = product }
    devices[device].isTakingAway = devices[device].takenAway(productCount) != nil
  }

  private mutating func fulfill(_ device: Int, _ slot: Int, _ recording: inout Recording) {
    let transaction = devices[device].slots[slot]
    if receipts != .accepted {
      reject(device, slot, &recording)
      return
    }
    if isBackendDown {
      isBackendDown = false
      devices[device].slots[slot].isOnHold = true
      record(.purchaseFulfillmentFailed, on: device, slot: slot, source: .app, &recording) {
        $0.note = .backendDown
      }
      return
    }
    devices[device].slots[slot].fulfilments = min(transaction.fulfilments, .max - 1) + 1
    if transaction.unfulfilled > 0 {
      devices[device].slots[slot].unfulfilled = transaction.unfulfilled - 1
    }
    if !transaction.purchase.isAbsent, !transaction.isMistaken,
      purchases[Int(transaction.purchase)].account == transaction.holder
    {
      // A backend that is asked once for each delivery, or by each observer, credits each time.
      // Otherwise the transaction's id is the idempotency key.
      let credits = purchases[Int(transaction.purchase)].credits
      if policy.creditsEachDelivery || policy.observerCount > 1 || credits == 0 {
        purchases[Int(transaction.purchase)].credits = credits + 1
      }
    }
    record(.purchaseFulfilled, on: device, slot: slot, source: .app, &recording)
  }

  /// The backend rejects the receipt, and gives nothing.
  private mutating func reject(_ device: Int, _ slot: Int, _ recording: inout Recording) {
    if receipts == .rejectedOnce { receipts = .accepted }
    devices[device].slots[slot].isOnHold = true
    devices[device].slots[slot].isRejected = true
    // An app that believes that nothing was bought forgets the purchase.
    if policy.finishesAfterRejection { devices[device].slots[slot].isRecorded = false }
    record(.receiptSubmitted, on: device, slot: slot, source: .app, &recording)
    record(.receiptRejected, on: device, slot: slot, source: .app, &recording)
  }

  private mutating func finish(_ device: Int, _ slot: Int, _ recording: inout Recording) {
    let transaction = devices[device].slots[slot]
    record(.transactionFinished, on: device, slot: slot, &recording)
    if transaction.isFinished {
      devices[device].slots[slot].isFinishedTwice = true
      return
    }
    if transaction.state == .purchasing {
      // `NSInvalidArgumentException`, "Cannot finish a purchasing transaction": the app ends
      // (cordova-plugin-purchase issue 93).
      record(.sessionEnded, on: device, &recording) { $0.note = .crashed }
      kill(device)
      return
    }
    devices[device].slots[slot].isFinished = true
    // A pending redelivery is dropped.
    devices[device].slots[slot].isPending = false
    devices[device].slots[slot].isContradicted = false
    if transaction.reported == .purchased || transaction.reported == .restored {
      noteDelivered(device, slot)
    }
    for part in devices[device].parts(of: slot) {
      devices[device][slot, part].isPending = false
      devices[device][slot, part].isCached = false
      if !devices[device][slot, part].state.hasEnded {
        devices[device][slot, part].state = .cancelled
      }
    }
    if devices[device].failsFinish {
      // "In rare circumstances this call might fail": it stays on the queue and comes back at the
      // next launch (openradar 13477734, SwiftyStoreKit issue 275).
      devices[device].failsFinish = false
      return
    }
    devices[device].slots[slot].hasLeft = true
    devices[device].slots[slot].isRemovalPending = true
  }
}
