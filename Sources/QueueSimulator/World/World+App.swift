internal import LedgerEvents

extension World {
  /// Whether the app has something to do that concerns no one transaction.
  func hasAppCall(_ device: Int) -> Bool {
    let app = devices[device]
    return app.isStarting || (app.observes && mustRestore(app))
  }

  /// A purchase that the app noted down is neither delivered nor on the queue: a restore is the way
  /// back.
  private func mustRestore(_ app: Device) -> Bool {
    guard app.owed != 0, !app.hasAskedToRestore, app.restore == .none else { return false }
    for product in cast.products.indices where app.owed & 1 << UInt64(product) != 0 {
      if cast.products[product].isConsumable { continue }
      let isComing = app.slots.contains {
        $0.product == product && !$0.isGone && $0.state != .failed
      }
      if !isComing { return true }
    }
    return false
  }

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
    switch nextCall(device, slot) {
    case .start(let part): start(device, slot, part, &recording)
    case .beginInstall(let part): beginInstall(device, slot, part, &recording)
    case .endInstall(let part): endInstall(device, slot, part, &recording)
    case .skip(let part): devices[device].slots[slot].parts[part].isSkipped = true
    case .fulfill: fulfill(device, slot, &recording)
    case .finish: finish(device, slot, &recording)
    case nil: break
    }
  }

  private mutating func start(
    _ device: Int, _ slot: Int, _ part: Int, _ recording: inout Recording
  ) {
    devices[device].slots[slot].parts[part].isRequested = true
    devices[device].slots[slot].parts[part].told = .notStarted
    devices[device].slots[slot].parts[part].toldProgress = 0
    let state = devices[device].slots[slot].parts[part].state
    record(
      state == .paused ? .downloadResumeRequested : .downloadRequested, on: device, slot: slot,
      part: part, &recording)
    guard state == .notStarted || state.hasEnded || state == .paused else { return }
    devices[device].slots[slot].parts[part].state = .waiting
    devices[device].slots[slot].parts[part].isPending = true
    if state != .paused { devices[device].slots[slot].parts[part].progress = 0 }
  }

  private mutating func beginInstall(
    _ device: Int, _ slot: Int, _ part: Int, _ recording: inout Recording
  ) {
    let version = devices[device].slots[slot].version
    devices[device].slots[slot].parts[part].isInstalling = true
    record(
      .contentInstallStarted, on: device, slot: slot, part: part, source: .app, &recording
    ) { $0.version = version }
  }

  private mutating func endInstall(
    _ device: Int, _ slot: Int, _ part: Int, _ recording: inout Recording
  ) {
    let transaction = devices[device].slots[slot]
    devices[device].slots[slot].parts[part].isInstalling = false
    // After the finish the files are gone (cordova-plugin-purchase issue 1130, iOS 14).
    let hasFiles = transaction.parts[part].isCached
    guard hasFiles, !devices[device].isDiskFull else {
      devices[device].slots[slot].parts[part].isOnHold = true
      devices[device].isDiskFull = false
      record(
        .contentInstallFailed, on: device, slot: slot, part: part, source: .app, &recording
      ) { $0.note = hasFiles ? .diskFull : .fileMissing }
      return
    }
    devices[device].slots[slot].parts[part].isInstalled = true
    devices[device].folders[Int(transaction.product)].install(
      part: part, of: transaction.parts.count, version: transaction.version,
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
    for part in transaction.parts.indices {
      devices[device].slots[slot].parts[part].isPending = false
      devices[device].slots[slot].parts[part].isCached = false
      if !transaction.parts[part].state.hasEnded {
        devices[device].slots[slot].parts[part].state = .cancelled
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
