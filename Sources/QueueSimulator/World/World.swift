internal import LedgerEvents

/// Everything that can still change in a run: the clock, the store, and the devices.
///
/// A world is a value: a run that branches goes on with a copy. What happened is in the recording
/// beside it, which the world only adds to.
struct World: Sendable {
  let cast: Cast
  /// Microseconds; rises with every event.
  var clock: Int64
  var random: SplitMix
  /// Amounts of progress are drawn, not fixed.
  var drawsProgress: Bool
  /// The next command of the script.
  var cursor = 0
  var devices: [Device]
  var purchases: [Purchase] = []
  var notifications: [Notification] = []
  /// The version on offer of each product, by rank.
  var offers: [Int16]
  var nextPayment: Int32 = 0
  var nextTransaction: Int32 = 0
  var isBackendDown = false
  /// The places in the script of commands and faults that could not happen when their turn came.
  var missed: [Int] = []
  /// Faults that may still happen.
  var faultsLeft: Int

  init(_ cast: Cast, random: SplitMix, drawsProgress: Bool, faults: Int) {
    self.cast = cast
    self.random = random
    self.drawsProgress = drawsProgress
    clock = cast.scenario.start.microseconds
    devices = cast.scenario.devices.map { _ in
      Device(productCount: cast.products.count, versionCount: cast.versions.count)
    }
    offers = cast.products.map(\.version)
    faultsLeft = faults
    for owned in cast.scenario.owned {
      purchases.append(
        Purchase(
          product: Int16(owned.product), account: Int16(owned.account), device: -1,
          original: nextTransaction, quantity: 1, version: offers[owned.product],
          isEarlier: true))
      nextTransaction += 1
    }
  }

  /// The time between two events of one action.
  static let tick: Int64 = 1_000

  var policy: AppPolicy { cast.policy }
}

extension World {
  /// A hash of everything that decides what can happen next and how the ledger will judge it; the
  /// clock, counters and the amounts of progress are left out.
  var fingerprint: UInt64 {
    var print = Fingerprint()
    print.feed(cursor)
    print.feed(faultsLeft)
    print.feed(isBackendDown)
    for offer in offers { print.feed(offer) }
    for device in devices { device.feed(&print) }
    for purchase in purchases {
      print.feed(purchase.isRefunded)
      print.feed(purchase.credits)
    }
    for notification in notifications {
      print.feed(notification.position > 0)
      print.feed(notification.isRepeated)
    }
    return print.value
  }
}

extension Device {
  fileprivate func feed(_ print: inout Fingerprint) {
    print.feed(app.rawValue)
    print.feed(
      [
        isStarting, observes, mayPay, isOvertaking, isEndTold, hasAskedToRestore, isSweeping,
        isDiskFull,
        failsFinish,
      ].reduce(1) { $0 << 1 | ($1 ? 1 : 0) })
    print.feed(restore.rawValue)
    for place in toList { print.feed(place) }
    print.feed(newestPayment)
    print.feed(owed)
    for folder in folders {
      print.feed(folder.complete)
      for parts in folder.parts { print.feed(parts) }
      print.feed(folder.newest)
      print.feed(folder.installer)
    }
    for slot in slots { slot.feed(&print) }
    for part in parts { part.feed(&print) }
  }
}

extension QueueTransaction {
  fileprivate func feed(_ print: inout Fingerprint) {
    print.feed(state.rawValue)
    print.feed(told.rawValue)
    print.feed(version)
    print.feed(lastPart)
    print.feed(account)
    print.feed(
      [
        transaction >= 0, isPending, isGone, isRemovalPending, isTold, isFinished, isFulfilledNow,
        isOnHold, isMistaken, isBatchDone, isRecorded, isFulfilled, wasCancelled,
      ]
      .reduce(1) { $0 << 1 | ($1 ? 1 : 0) })
  }
}

extension Part {
  fileprivate func feed(_ print: inout Fingerprint) {
    print.feed(state.rawValue)
    print.feed(told.rawValue)
    print.feed(progress / 500)
    print.feed(toldProgress / 500)
    print.feed(
      [
        isCached, isStalled, isPending, isRequested, isHeldByCustomer,
        isOnHold, isInstalling, isSkipped, isInstalled,
      ]
      .reduce(1) { $0 << 1 | ($1 ? 1 : 0) })
  }
}
