internal import LedgerEvents

extension World {
  /// The app goes on by one call.
  mutating func runApp(_ device: Int, _ slot: Int, _ recording: inout Recording) {
    if slot < 0 {
      if devices[device].isStarting {
        addObserver(device, &recording)
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
    case .finish: finish(device, slot, &recording)
    case nil: break
    }
  }

  private mutating func start(
    _ device: Int, _ slot: Int, _ part: Int, _ recording: inout Recording
  ) {
    devices[device][slot, part].isRequested = true
    devices[device][slot, part].told = .notStarted
    devices[device][slot, part].toldProgress = 0
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
    devices[device].folders[Int(transaction.product)].install(
      part: part, of: Int(transaction.partCount), version: transaction.version,
      by: transaction.transaction)
    record(
      .contentInstalled, on: device, slot: slot, part: part, source: .app, &recording
    ) { $0.version = transaction.version }
  }

  private mutating func fulfill(_ device: Int, _ slot: Int, _ recording: inout Recording) {
    let transaction = devices[device].slots[slot]
    if isBackendDown {
      isBackendDown = false
      devices[device].slots[slot].isOnHold = true
      record(.purchaseFulfillmentFailed, on: device, slot: slot, source: .app, &recording) {
        $0.note = .backendDown
      }
      return
    }
    devices[device].slots[slot].isFulfilled = true
    devices[device].slots[slot].isFulfilledNow = true
    if transaction.purchase >= 0, !transaction.isMistaken {
      // A backend that is asked once for each delivery credits each; else the transaction's id is
      // the key.
      let credits = purchases[Int(transaction.purchase)].credits
      if policy.creditsEachDelivery || credits == 0 {
        purchases[Int(transaction.purchase)].credits = credits + 1
      }
    }
    record(.purchaseFulfilled, on: device, slot: slot, source: .app, &recording)
  }

  private mutating func finish(_ device: Int, _ slot: Int, _ recording: inout Recording) {
    let transaction = devices[device].slots[slot]
    record(.transactionFinished, on: device, slot: slot, &recording)
    if transaction.state == .purchasing {
      // `NSInvalidArgumentException`, "Cannot finish a purchasing transaction": the app ends
      // (cordova-plugin-purchase issue 93).
      record(.sessionEnded, on: device, &recording) { $0.note = .crashed }
      kill(device)
      return
    }
    devices[device].slots[slot].isFinished = true
    // What was to be told again is told no more.
    devices[device].slots[slot].isPending = false
    if transaction.told == .purchased || transaction.told == .restored {
      devices[device].owed &= ~(1 << UInt64(transaction.product))
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
    devices[device].slots[slot].isGone = true
    devices[device].slots[slot].isRemovalPending = true
  }
}
