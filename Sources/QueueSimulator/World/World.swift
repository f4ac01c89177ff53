internal import LedgerEvents

/// Everything that can still change in a run: the clock, the store, and the devices.
///
/// A world is a value, so a run that branches continues with a copy. What happened is in a separate
/// recording, to which the world only appends.
struct World: Sendable {
  let cast: Cast
  /// In microseconds. It advances with every event.
  var clock: Int64
  var random: SplitMix
  /// Whether amounts of progress are drawn at random.
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
  var receipts = Receipts.accepted
  /// The indices in the script of commands and faults that could not happen when their turn came.
  var missed: [Int] = []
  /// The faults that have struck, one bit each.
  var struck: UInt64 = 0
  /// Faults that may still happen.
  var faultsLeft: Int

  init(_ cast: Cast, random: SplitMix, drawsProgress: Bool, faults: Int) {
    self.cast = cast
    self.random = random
    self.drawsProgress = drawsProgress
    clock = cast.scenario.start.microseconds
    devices = cast.scenario.devices.map { device in
      Device(
        account: Int16(device.account), accountCount: cast.scenario.accounts.count,
        productCount: cast.products.count, versionCount: cast.versions.count)
    }
    offers = cast.products.map(\.version)
    faultsLeft = faults
    for owned in cast.scenario.owned {
      purchases.append(
        Purchase(
          product: Int16(owned.product), account: Int16(owned.account), device: .absent,
          original: nextTransaction, quantity: 1, version: offers[owned.product],
          isEarlier: true))
      nextTransaction += 1
    }
  }

  /// What the backend answers to a receipt.
  enum Receipts: UInt8, Sendable {
    case accepted, rejectedOnce, rejected
  }

  /// The time between two events of one action.
  static let tick: Int64 = 1_000

  var policy: AppPolicy { cast.policy }

  /// The index of a customer's folder for a product, the same on every device.
  func folder(of account: Int16, _ product: Int16) -> Int16 {
    account * Int16(cast.products.count) + product
  }

  /// A transaction of a customer that is not on a queue yet.
  func transaction(of product: Int16, for holder: Int16) -> QueueTransaction {
    QueueTransaction(product: product, holder: holder, folder: folder(of: holder, product))
  }
}

extension World {
  /// A hash of everything that decides what can happen next and how the ledger will judge it,
  /// without the clock, the counters and the exact progress.
  var fingerprint: UInt64 {
    var print = Fingerprint()
    print.feed(cursor)
    print.feed(faultsLeft)
    print.feed(isBackendDown)
    print.feed(receipts.rawValue)
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
    print.feed(account)
    print.feed(observerCount)
    print.feed(
      [
        isStarting, mayPay, isForeign, isOvertaking, isEndReported, hasAskedToRestore, isSweeping,
        isTakingAway, isDiskFull, failsFinish,
      ].reduce(1) { $0 << 1 | ($1 ? 1 : 0) })
    print.feed(restore.rawValue)
    for index in toList { print.feed(index) }
    print.feed(restoreStart)
    print.feed(newestPayment)
    for products in owed { print.feed(products) }
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
    print.feed(reported.rawValue)
    print.feed(version)
    print.feed(lastPart)
    print.feed(account)
    print.feed(holder)
    print.feed(outcome == .restored)
    print.feed(fulfilments)
    print.feed(unfulfilled)
    print.feed(
      [
        !transaction.isAbsent, isPending, hasLeft, isRemovalPending, isContradicted, isReported,
        isFinished,
        isFinishedTwice, isOnHold, isRejected, isMistaken, isAnswered, isBatchDone, isRecorded,
        wasCancelled,
      ]
      .reduce(1) { $0 << 1 | ($1 ? 1 : 0) })
  }
}

extension Part {
  fileprivate func feed(_ print: inout Fingerprint) {
    print.feed(state.rawValue)
    print.feed(reported.rawValue)
    print.feed(progress / 500)
    print.feed(reportedProgress / 500)
    print.feed(
      [
        isCached, isStalled, isPending, isRequested, isHeldByCustomer,
        isOnHold, isInstalling, isSkipped, isInstalled,
      ]
      .reduce(1) { $0 << 1 | ($1 ? 1 : 0) })
  }
}
