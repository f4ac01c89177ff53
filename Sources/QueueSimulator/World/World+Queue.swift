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
    case .purchased, .restored:
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
      var bought = self.transaction(of: transaction.product, for: transaction.holder)
      bought.quantity = transaction.quantity
      bought.isPending = false
      devices[device].slots.append(bought)
    }
    devices[device].slots[slot].isPending = !devices[device].slots[slot].hasLeft
  }

  /// An unfinished purchase of a consumable blocks the next sale of it: the store says that it was
  /// already bought, and makes no callback (InAppBillingPlugin issue 102, RMStore issue 190).
  func sells(_ transaction: QueueTransaction, on device: Int) -> Bool {
    guard cast.products[Int(transaction.product)].isConsumable else { return true }
    return !devices[device].slots.contains {
      $0.product == transaction.product && $0.state == .purchased && !$0.hasLeft
    }
  }

  mutating func swallow(_ device: Int, _ slot: Int) {
    devices[device].slots[slot].hasLeft = true
    devices[device].slots[slot].isPending = false
    for other in devices[device].slots.indices
    where devices[device].slots[other].product == devices[device].slots[slot].product
      && devices[device].slots[other].state == .purchased && !devices[device].slots[other].hasLeft
    {
      devices[device].slots[other].isPending = true
    }
  }

  /// The index of a customer's purchase of a non-consumable product that was not refunded; `nil` if
  /// there is none.
  func owned(_ product: Int16, by account: Int16) -> Int? {
    purchases.firstIndex {
      $0.product == product && $0.account == account && !$0.isConsumable && !$0.isRefunded
    }
  }

  /// The payment succeeds and becomes a purchase.
  private mutating func takePayment(_ device: Int, _ slot: Int) {
    let product = Int(devices[device].slots[slot].product)
    let account = devices[device].slots[slot].holder
    // Buying a product again that the customer already owns is free, and is not a second purchase.
    let owned = owned(Int16(product), by: account)
    let id = nextTransaction
    nextTransaction += 1
    devices[device].slots[slot].state =
      owned != nil && devices[device].slots[slot].outcome == .restored ? .restored : .purchased
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
    guard let index = devices[device].toList.popLast() else { return }
    let purchase = purchases[Int(index)]
    // The app cannot tell another Apple ID's purchases from its customer's.
    var transaction = transaction(
      of: purchase.product,
      for: devices[device].isForeign ? devices[device].account : purchase.account)
    transaction.state = .restored
    transaction.transaction = nextTransaction
    transaction.original = purchase.original
    transaction.quantity = purchase.quantity
    transaction.purchasedAt = clock
    transaction.purchase = index
    transaction.version = offers[Int(purchase.product)]
    nextTransaction += 1
    devices[device].slots.append(transaction)
    devices[device].addParts(
      cast.products[Int(purchase.product)].parts.count, to: devices[device].slots.count - 1)
  }

  mutating func endRestored(_ device: Int) {
    devices[device].restore = devices[device].isEndReported ? .none : .listed
  }

  /// The store's server notifies the backend.
  mutating func notify(_ index: Int, again: Bool = false, _ recording: inout Recording) {
    let notification = notifications[index]
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
      notifications[index].isRepeated = true
    } else {
      notifications[index].position = position + 1
    }
  }
}
