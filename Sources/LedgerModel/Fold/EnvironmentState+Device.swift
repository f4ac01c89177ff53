import LedgerEvents

extension EnvironmentState {
  /// Folds an event of a stated device that concerns no transaction. Events of the absent device
  /// are in the shared context.
  mutating func reduceDevice(_ fact: Fact, _ step: Step) {
    let index = indexOfDevice(fact.device)
    switch fact.kind {
    case .sessionStarted:
      devices[index].launch = fact.position
      devices[index].endRestore()
    case .restoreRequested:
      devices[index].beginRestore(fact, ordinal: step.ordinal)
    case .restoreCompleted, .restoreFailed:
      devices[index].unanswered.removeAll()
      if fact.kind == .restoreCompleted { devices[index].completeRestore(at: fact.occurredAt) }
    case .paymentsChecked:
      devices[index].allowsPayments = fact.detail?.fields.allowed ?? true
    case .catalogReceived:
      noteOffers(fact, index)
    default:
      judgeClosings(fact, step, device: fact.device, transaction: nil)
    }
  }

  private mutating func noteOffers(_ fact: Fact, _ index: Int) {
    guard let detail = fact.detail else { return }
    for offered in detail.fields.offered { note(offered.product, isInvalid: false, index) }
    for product in detail.fields.invalid { note(product, isInvalid: true, index) }
  }

  private mutating func note(_ product: NameNumber, isInvalid: Bool, _ index: Int) {
    let at = devices[index].offers.partitionPoint { $0.product < product }
    if at < devices[index].offers.count, devices[index].offers[at].product == product {
      devices[index].offers[at].isInvalid = isInvalid
    } else {
      devices[index].offers.insert(
        DeviceState.Offer(product: product, isInvalid: isInvalid), at: at)
    }
  }

  /// The launch that a fact belongs to, by the position of its `session.started`; 0 before any.
  mutating func launch(
    of device: NameNumber, _ step: Step, _ foldContext: FoldContext
  ) -> UInt64 {
    if device == 0 {
      asksAbsentDevice = true
      return foldContext.shared.absentDevice(in: environment)
        .launch(at: step.key, foldContext.texts)
    }
    let index = deviceIndex.find(UInt64(device))
    return index < 0 ? 0 : devices[index].launch
  }

  /// Adds a transaction that is first delivered as restored to the restore that is under way on the
  /// device, if there is one (`model.md` 16).
  mutating func joinRestore(
    _ fact: Fact, _ step: Step, delivery: Int, _ foldContext: FoldContext
  ) {
    let restore: UInt64
    let isCompleted: Bool
    if fact.device == 0 {
      asksAbsentDevice = true
      let absent = foldContext.shared.absentDevice(in: environment)
      guard let lasting = absent.restore(at: step.key, foldContext.texts) else { return }
      (restore, isCompleted) = lasting
      couple(.restore, 0, writes: true)
    } else {
      let index = indexOfDevice(fact.device)
      restore = devices[index].restore
      isCompleted = devices[index].restoreIsCompleted
    }
    if restore == 0 { return }
    judgeRestored(fact, step, restore: restore, foldContext)
    set(restore: restore, ofDelivery: delivery)
    if RestoreCompletedEarly.breaks(isCompleted: isCompleted),
      !transactions[step.transaction].marks.contains(.restoredEarlyFound)
    {
      transactions[step.transaction].marks.insert(.restoredEarlyFound)
      report(.restoreCompletedEarly, fact, step)
    }
  }

  private mutating func judgeRestored(
    _ fact: Fact, _ step: Step, restore: UInt64, _ foldContext: FoldContext
  ) {
    guard !transactions[step.transaction].marks.contains(.restoredTwiceFound),
      isRestoredTwice(step.transaction, by: restore, on: fact.device, foldContext.shared)
    else { return }
    transactions[step.transaction].marks.insert(.restoredTwiceFound)
    report(.restoredTwice, fact, step)
  }

  private mutating func isRestoredTwice(
    _ transaction: Int, by restore: UInt64, on device: NameNumber, _ context: SharedContext
  ) -> Bool {
    if transactions[transaction].statedOriginal == 0 { return false }
    let chain = transactions[transaction].chain
    let isSecond = findDeliveries(ofChain: chain, by: restore, on: device).contains {
      let other = deliveries[$0].transaction
      return other != transaction && transactions[other].statedOriginal != 0
    }
    return RestoredTwice.breaks(isSecond: isSecond, kind: kind(of: chains[chain], context))
  }

  func stormIsFound(_ restore: UInt64, on device: NameNumber) -> Bool {
    let index = deviceIndex.lookUp(UInt64(device))
    return index >= 0 && devices[index].storms.contains(restore)
  }

  mutating func noteStorm(_ restore: UInt64, on device: NameNumber) {
    let index = indexOfDevice(device)
    devices[index].storms.append(restore)
  }
}

extension DeviceState {
  /// A restore lasts from its request to the next one, or to the next launch (`model.md` 16).
  fileprivate mutating func beginRestore(_ fact: Fact, ordinal: Int) {
    endRestore()
    restore = fact.position
    unanswered.append(
      Request(position: fact.position, time: fact.occurredAt, account: fact.account))
    guard fact.account != 0 else { return }
    restores.append(
      RestoreState(
        position: fact.position, ordinal: ordinal, time: fact.occurredAt, account: fact.account,
        app: fact.app))
  }

  fileprivate mutating func completeRestore(at time: Int64) {
    restoreIsCompleted = true
    guard let last = restores.last, last.completedAt == Fact.absentTime else { return }
    restores[restores.count - 1].completedAt = time
  }

  /// A restore that was not completed before the next one began cannot have left anything out.
  fileprivate mutating func endRestore() {
    restore = 0
    restoreIsCompleted = false
    if let last = restores.last, last.completedAt == Fact.absentTime { restores.removeLast() }
  }
}
