internal import LedgerEvents

extension World {
  /// A fault strikes.
  mutating func strike(_ fault: Action, _ recording: inout Recording) {
    struck |= fault.verb.bit
    let device = Int(fault.device)
    let slot = Int(fault.slot)
    let part = Int(fault.part)
    switch fault.verb {
    case .kill: kill(device)
    case .loseObserver: removeObserver(device, &recording)
    case .background: background(device, &recording)
    case .failDownload:
      devices[device][slot, part].state = .failed
      devices[device][slot, part].isPending = true
    case .stallDownload: devices[device][slot, part].isStalled = true
    case .fillDisk: devices[device].isDiskFull = true
    case .stopBackend: isBackendDown = true
    case .repeatDelivery: devices[device].slots[slot].isPending = true
    case .loseAccount: devices[device].slots[slot].account = .absent
    case .failFinish: devices[device].failsFinish = true
    case .remove: remove(device, slot)
    case .overtakeRestore: devices[device].isOvertaking = true
    case .doubleRestore:
      if let index = lastListed(device) { devices[device].toList.append(index) }
    case .interruptPayment: devices[device].slots[slot].outcome = .interrupted
    case .refusePayment: devices[device].slots[slot].outcome = .failed
    case .purge: record(.contentPurged, on: device, source: .app, &recording)
    case .repeatNotification: notify(device, again: true, &recording)
    case .shortenRestore: devices[device].toList.removeLast()
    case .switchAppleID:
      devices[device].isForeign = true
      devices[device].toList = restorable(fault.slot)
    case .contradictDelivery:
      devices[device].slots[slot].isContradicted = true
      devices[device].slots[slot].isPending = true
    case .doubleObserver: addOneObserver(device, &recording)
    case .switchAccount:
      devices[device].account = fault.slot
      // The app asks for a restore once per launch and customer.
      devices[device].hasAskedToRestore = false
    case .answerAsRestored: devices[device].slots[slot].outcome = .restored
    case .rejectReceipt: receipts = .rejectedOnce
    case .rejectReceipts: receipts = .rejected
    case .command, .authorize, .listRestored, .endRestored, .notify, .download,
      .updatedTransactions, .updatedDownloads, .removedTransactions, .restoreFinished, .app,
      .launch, .foreground, .calm, .wait:
      break
    }
  }

  /// A transaction leaves the queue without a finish, as on iOS 9.0 after a return to the
  /// foreground (RMStore issue 160). Its downloads stop.
  private mutating func remove(_ device: Int, _ slot: Int) {
    devices[device].slots[slot].hasLeft = true
    devices[device].slots[slot].isRemovalPending = true
    devices[device].slots[slot].isPending = false
    devices[device].slots[slot].isContradicted = false
    for part in devices[device].parts(of: slot) {
      devices[device][slot, part].isPending = false
      devices[device][slot, part].isCached = false
      if !devices[device][slot, part].state.hasEnded {
        devices[device][slot, part].state = .cancelled
      }
    }
  }

  private func lastListed(_ device: Int) -> Int16? {
    devices[device].slots.last { $0.state == .restored && $0.payment.isAbsent && !$0.hasLeft }?
      .purchase
  }

  /// The faults stop.
  mutating func calm() {
    isBackendDown = false
    receipts = .accepted
    for device in devices.indices {
      devices[device].account = Int16(cast.scenario.devices[device].account)
      devices[device].isDiskFull = false
      devices[device].failsFinish = false
      devices[device].mayPay = true
      for slot in devices[device].slots.indices {
        devices[device].slots[slot].isContradicted = false
        for part in devices[device].parts(of: slot) {
          devices[device][slot, part].isStalled = false
          devices[device][slot, part].isHeldByCustomer = false
        }
      }
    }
  }

  /// Whether a fault can strike now.
  func canStrike(_ fault: Action) -> Bool {
    let index = Int(fault.device)
    switch fault.verb {
    case .stopBackend: return !isBackendDown
    case .rejectReceipt: return receipts == .accepted
    case .rejectReceipts: return receipts != .rejected
    case .repeatNotification:
      return notifications.indices.contains(index) && notifications[index].position > 0
        && !notifications[index].isRepeated
    default: break
    }
    guard devices.indices.contains(index) else { return false }
    switch fault.verb {
    case .kill: return devices[index].app != .notRunning
    case .background: return devices[index].app == .foreground
    case .loseObserver: return devices[index].app == .foreground && devices[index].observes
    case .fillDisk: return !devices[index].isDiskFull && !devices[index].parts.isEmpty
    case .failFinish:
      return !devices[index].failsFinish && devices[index].slots.contains { !$0.hasLeft }
    case .overtakeRestore:
      return devices[index].restore == .listing && !devices[index].isOvertaking
    case .doubleRestore: return devices[index].restore == .listing && lastListed(index) != nil
    case .purge:
      return devices[index].app == .foreground && devices[index].slots.contains(where: \.hasLeft)
    case .shortenRestore:
      return devices[index].restore == .listing && !devices[index].toList.isEmpty
    case .doubleObserver:
      return devices[index].app == .foreground && devices[index].observerCount == 1
    case .switchAppleID:
      // One Apple ID is signed in to the store at a time, so a restore lists one customer's only.
      return devices[index].restore == .listing && isAnotherAccount(fault)
        && !devices[index].isForeign
        && devices[index].slots.count == devices[index].restoreStart
    case .switchAccount: return devices[index].app == .foreground && isAnotherAccount(fault)
    default: break
    }
    guard devices[index].slots.indices.contains(Int(fault.slot)) else { return false }
    return canStrike(fault, devices[index].slots[Int(fault.slot)])
  }

  /// Whether a fault names an account other than the one signed in on its device.
  private func isAnotherAccount(_ fault: Action) -> Bool {
    cast.scenario.accounts.indices.contains(Int(fault.slot))
      && fault.slot != devices[Int(fault.device)].account
  }

  /// Whether a fault of a transaction, or of one of its downloads, can strike now.
  private func canStrike(_ fault: Action, _ transaction: QueueTransaction) -> Bool {
    if transaction.hasLeft { return false }
    switch fault.verb {
    case .repeatDelivery, .contradictDelivery:
      return transaction.isDelivered && !transaction.isPending && !transaction.isFinished
    case .loseAccount: return !transaction.account.isAbsent && !transaction.transaction.isAbsent
    case .remove:
      // The customer's own Apple ID could not restore another Apple ID's purchase again.
      return transaction.isDelivered && !transaction.isFinished
        && purchases[Int(transaction.purchase)].account == transaction.holder
    case .interruptPayment, .refusePayment: return transaction.awaitsAnswer
    case .answerAsRestored:
      return transaction.awaitsAnswer
        && owned(transaction.product, by: transaction.holder) != nil
    default: break
    }
    guard (0..<transaction.partCount).contains(fault.part) else { return false }
    let part = devices[Int(fault.device)].parts[Int(transaction.firstPart + fault.part)]
    switch fault.verb {
    case .failDownload: return part.state.isRunning
    case .stallDownload: return part.state.isRunning && !part.isStalled
    default: return false
    }
  }
}

extension QueueTransaction {
  /// A payment that the store has not answered and that no fault has struck.
  fileprivate var awaitsAnswer: Bool {
    state == .purchasing && outcome == .purchased && !payment.isAbsent
  }
}
