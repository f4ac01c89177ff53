internal import LedgerEvents

extension World {
  /// Lists everything that can happen next, except faults, in a fixed order.
  ///
  /// It changes nothing, but it is mutating so that devices are read in place and not copied.
  mutating func listActions(_ actions: inout [Action], _ recording: Recording) {
    actions.removeAll(keepingCapacity: true)
    if cursor < cast.script.count, isDue(cast.script[cursor].moment, recording) {
      actions.append(Action(.command))
    }
    for device in devices.indices { listActions(device, &actions) }
    for index in notifications.indices where notifications[index].position == 0 {
      actions.append(Action(.notify, device: index))
    }
  }

  /// Whether a command may come now. Commands with a time always may.
  private func isDue(_ moment: ScriptedCommand.Moment, _ recording: Recording) -> Bool {
    switch moment {
    case .at: true
    case .on(let kind, let nth): recording.count(of: kind) >= nth
    }
  }

  private mutating func listActions(_ index: Int, _ actions: inout [Action]) {
    devices[index].list(index, cast, &actions)
  }

  /// The faults that can strike now, in a fixed order; none if the budget is spent.
  func listFaults(_ actions: inout [Action]) {
    guard faultsLeft > 0 else { return }
    func add(_ fault: Action) { if canStrike(fault) { actions.append(fault) } }
    for verb in Self.faultsOfBackend { add(Action(verb)) }
    for index in notifications.indices { add(Action(.repeatNotification, device: index)) }
    for device in devices.indices {
      for verb in Self.faultsOfDevices { add(Action(verb, device: device)) }
      for account in cast.scenario.accounts.indices where cast.scenario.accounts.count > 1 {
        add(Action(.switchAccount, device: device, slot: account))
        add(Action(.switchAppleID, device: device, slot: account))
      }
      for slot in devices[device].slots.indices where !devices[device].slots[slot].hasLeft {
        for verb in Self.faultsOfTransactions { add(Action(verb, device: device, slot: slot)) }
        for part in devices[device].parts(of: slot) {
          add(Action(.failDownload, device: device, slot: slot, part: part))
          add(Action(.stallDownload, device: device, slot: slot, part: part))
        }
      }
    }
  }

  private static let faultsOfBackend: [Action.Verb] = [
    .stopBackend, .rejectReceipt, .rejectReceipts,
  ]
  private static let faultsOfDevices: [Action.Verb] = [
    .kill, .background, .loseObserver, .doubleObserver, .fillDisk, .failFinish, .overtakeRestore,
    .doubleRestore, .shortenRestore, .purge,
  ]
  private static let faultsOfTransactions: [Action.Verb] = [
    .repeatDelivery, .contradictDelivery, .loseAccount, .remove, .interruptPayment,
    .refusePayment, .answerAsRestored,
  ]

  /// Whether an action can happen now.
  mutating func canPerform(_ action: Action, _ recording: Recording) -> Bool {
    if action.verb.isFault { return canStrike(action) }
    if action.verb == .calm || action.verb == .wait { return true }
    var actions: [Action] = []
    listActions(&actions, recording)
    return actions.contains(action)
  }

  /// Performs an action and returns whether it may have changed what can happen next.
  ///
  /// - Precondition: The action can happen now.
  mutating func perform(_ action: Action, _ recording: inout Recording) -> Bool {
    let device = Int(action.device)
    let slot = Int(action.slot)
    // Most of a run consists of download steps and their reports, which note themselves what
    // changes.
    if action.verb != .download && action.verb != .updatedDownloads { forgetCallers() }
    switch action.verb {
    case .command: runCommand(&recording)
    case .authorize: authorize(device, slot)
    case .listRestored: listRestored(device)
    case .endRestored: endRestored(device)
    case .notify: notify(device, &recording)
    case .download: return advance(device, slot, Int(action.part))
    case .updatedTransactions: reportTransactions(device, &recording)
    case .updatedDownloads: reportDownloads(device, &recording)
    case .removedTransactions: reportRemoved(device, &recording)
    case .restoreFinished: reportRestoreFinished(device, &recording)
    case .app: runApp(device, slot, &recording)
    case .launch: launch(device, &recording)
    case .foreground: foreground(device, &recording)
    case .calm: calm()
    case .wait: clock += 2 * Instant.day
    default:
      faultsLeft -= 1
      strike(action, &recording)
    }
    return true
  }

  /// Makes sure that the next calls of all apps are listed again.
  mutating func forgetCallers() {
    for device in devices.indices { devices[device].areCallersListed = false }
  }

  /// Advances a download by one step. Returns whether this changes what can happen next. Progress
  /// does not if a download was already to be reported.
  private mutating func advance(_ device: Int, _ slot: Int, _ index: Int) -> Bool {
    let before = devices[device][slot, index]
    var part = before
    part.isPending = true
    let product = Int(devices[device].slots[slot].product)
    let step = cast.products[product].steps[index]
    if cast.scenario.devices[device].isSimulator {
      part.state = .failed
    } else if part.state == .waiting {
      part.state = .active
      if part.progress == 0 { part.progress = drawsProgress ? Int16(random.below(step)) : 500 }
    } else if part.progress >= 1_000 {
      part.state = .finished
      part.isCached = true
    } else {
      advance(&part, step)
    }
    devices[device][slot, index] = part
    if part.state != before.state { devices[device].areCallersListed = false }
    return part.state != before.state
      || !(before.isPending || devices[device].hasDownloadNews)
  }

  /// Progress of 1.0 is not the end, and the end can come without it: SKDownload's documentation
  /// says to go by the state; cordova-plugin-purchase issue 280 never saw more than 0.98.
  private mutating func advance(_ part: inout Part, _ step: Int) {
    if !drawsProgress {
      part.progress = 1_000
    } else if part.progress > 900 && random.below(3) == 0 {
      part.state = .finished
      part.isCached = true
    } else {
      part.progress = min(1_000, part.progress + Int16(step / 2 + random.below(step)))
    }
  }
}

extension Device {
  /// Lists everything that can happen next on the device, except faults. Mutating for the same
  /// reason.
  fileprivate mutating func list(_ index: Int, _ cast: Cast, _ actions: inout [Action]) {
    hasDownloadNews = false
    switch app {
    case .notRunning: if session > 0 { actions.append(Action(.launch, device: index)) }
    case .background: actions.append(Action(.foreground, device: index))
    case .foreground:
      if observes { listCallbacks(index, &actions) }
      if isStarting || isTakingAway || (observes && mustRestore(cast.consumables)) {
        actions.append(Action(.app, device: index, slot: .absent))
      }
      if !areCallersListed { listCallers(cast) }
      for slot in callers { actions.append(Action(.app, device: index, slot: Int(slot))) }
    }
    if restore == .listing {
      actions.append(Action(toList.isEmpty ? .endRestored : .listRestored, device: index))
    }
    listQueue(index, &actions)
  }

  private mutating func listCallers(_ cast: Cast) {
    callers.removeAll(keepingCapacity: true)
    for slot in slots.indices where nextCall(slot, cast) != nil { callers.append(Int16(slot)) }
    areCallersListed = true
  }

  /// Whether a purchase that the app has noted is neither delivered nor on the queue, or is on the
  /// queue only in an older version than the installed one. Only a restore delivers it again.
  ///
  /// - Parameter consumables: The consumable products, one bit each.
  private func mustRestore(_ consumables: UInt64) -> Bool {
    let lost = owed[Int(account)] & ~consumables
    guard lost != 0, !hasAskedToRestore, restore == .none else { return false }
    var coming: UInt64 = 0
    for slot in slots.indices
    where !slots[slot].hasLeft && slots[slot].holder == account && slots[slot].state != .failed
      && !isOutdated(slot)
    {
      coming |= 1 << UInt64(slots[slot].product)
    }
    return lost & ~coming != 0
  }

  /// What the store and the network can do for the transactions on the queue.
  private func listQueue(_ index: Int, _ actions: inout [Action]) {
    for slot in slots.indices where !slots[slot].hasLeft {
      if slots[slot].mayBeAuthorized {
        actions.append(Action(.authorize, device: index, slot: slot))
      }
      let indices = slots[slot].partIndices
      for part in indices where parts[part].state.isRunning && !parts[part].isStalled {
        actions.append(
          Action(.download, device: index, slot: slot, part: part - indices.lowerBound))
      }
    }
  }

  /// What the queue can report.
  private mutating func listCallbacks(_ index: Int, _ actions: inout [Action]) {
    var isPending = false
    var isRemovalPending = false
    for slot in slots.indices {
      if slots[slot].isPending { isPending = true }
      if slots[slot].isRemovalPending { isRemovalPending = true }
      // The queue reports no downloads of a finished transaction until it is delivered again.
      guard slots[slot].isReported, !slots[slot].isFinished else { continue }
      for part in slots[slot].partIndices where parts[part].isPending { hasDownloadNews = true }
    }
    if isPending { actions.append(Action(.updatedTransactions, device: index)) }
    if hasDownloadNews { actions.append(Action(.updatedDownloads, device: index)) }
    if isRemovalPending { actions.append(Action(.removedTransactions, device: index)) }
    if (restore == .listed && !isPending) || (restore != .none && isOvertaking) {
      actions.append(Action(.restoreFinished, device: index))
    }
  }
}

extension QueueTransaction {
  fileprivate var mayBeAuthorized: Bool {
    switch state {
    case .purchasing: true
    case .deferred: outcome != .deferred
    case .purchased, .failed, .restored: false
    }
  }
}
