internal import LedgerEvents

extension World {
  /// The customer opens the app: a new launch, whose first call adds the observer.
  mutating func launch(_ device: Int, _ recording: inout Recording) {
    guard devices[device].app == .notRunning else { return }
    devices[device].app = .foreground
    devices[device].session += 1
    devices[device].sequence = 0
    devices[device].isStarting = true
    record(.sessionStarted, on: device, &recording)
  }

  /// The process ends. The app loses its memory, but its disk and the queue stay as they are.
  mutating func kill(_ device: Int) {
    devices[device].app = .notRunning
    devices[device].isStarting = false
    devices[device].observerCount = 0
    devices[device].hasAskedToRestore = false
    devices[device].isSweeping = false
    devices[device].isTakingAway = false
    devices[device].newestPayment = .absent
    // A restore ends with its process, because there is no observer to report its end to.
    devices[device].restore = .none
    devices[device].toList = []
    devices[device].isForeign = false
    devices[device].isOvertaking = false
    devices[device].isEndReported = false
    for slot in devices[device].slots.indices { devices[device].slots[slot].forget() }
    for part in devices[device].parts.indices { devices[device].parts[part].forget() }
  }

  mutating func background(_ device: Int, _ recording: inout Recording) {
    guard devices[device].app == .foreground else { return }
    devices[device].app = .background
    record(.sessionBackgrounded, on: device, &recording)
  }

  /// The app returns to the foreground. The queue reports unfinished transactions again, and the
  /// app retries failed calls.
  mutating func foreground(_ device: Int, _ recording: inout Recording) {
    guard devices[device].app == .background else { return }
    devices[device].app = .foreground
    record(.sessionForegrounded, on: device, &recording)
    releaseHolds(device)
    if devices[device].observes { redeliver(device) }
  }

  private mutating func releaseHolds(_ device: Int) {
    for slot in devices[device].slots.indices {
      devices[device].slots[slot].isOnHold = false
      for part in devices[device].parts(of: slot) {
        devices[device][slot, part].isOnHold = false
      }
    }
  }

  /// `SKPaymentQueue.add(_:)`: from now on, the queue reports. It begins with all unfinished
  /// transactions.
  mutating func addObserver(_ device: Int, _ recording: inout Recording) {
    devices[device].isStarting = false
    guard !devices[device].observes else { return }
    for _ in 0..<policy.observerCount { addOneObserver(device, &recording) }
  }

  /// The queue calls every observer that was added, in the order in which they were added.
  mutating func addOneObserver(_ device: Int, _ recording: inout Recording) {
    devices[device].observerCount += 1
    record(.sessionObserverAdded, on: device, &recording)
    redeliver(device)
  }

  mutating func removeObserver(_ device: Int, _ recording: inout Recording) {
    guard devices[device].app == .foreground, devices[device].observes else { return }
    devices[device].observerCount -= 1
    record(.sessionObserverRemoved, on: device, &recording)
  }

  /// Marks everything on the queue to be reported again, with the state of its downloads.
  private mutating func redeliver(_ device: Int) {
    for slot in devices[device].slots.indices where !devices[device].slots[slot].hasLeft {
      // A purchase without a payment has no identifier before it is authorized.
      let transaction = devices[device].slots[slot]
      if transaction.payment.isAbsent && transaction.transaction.isAbsent { continue }
      devices[device].slots[slot].isPending = true
      for part in devices[device].parts(of: slot) {
        devices[device][slot, part].isStalled = false
        if devices[device][slot, part].state != .notStarted {
          devices[device][slot, part].isPending = true
        }
      }
    }
  }

  /// `SKPaymentQueue.restoreCompletedTransactions()`.
  mutating func restore(_ device: Int, _ recording: inout Recording) {
    guard devices[device].app == .foreground else { return }
    record(.restoreRequested, on: device, &recording)
    devices[device].hasAskedToRestore = true
    devices[device].restore = .listing
    devices[device].restoreStart = Int16(devices[device].slots.count)
    devices[device].isForeign = false
    devices[device].isOvertaking = false
    devices[device].isEndReported = false
    devices[device].toList = restorable(devices[device].account)
  }

  /// Whether the app on a device has noted purchases for an account that a restore would deliver.
  func isOwed(_ account: Int, on device: Int) -> Bool {
    devices[device].owed[account] & ~cast.consumables != 0
  }

  /// The indices of the purchases that a restore lists for an account, the last one first.
  func restorable(_ account: Int16) -> [Int16] {
    purchases.indices.reversed().filter {
      purchases[$0].account == account && !purchases[$0].isRefunded && !purchases[$0].isConsumable
    }.map { Int16($0) }
  }
}
