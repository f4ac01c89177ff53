import LedgerEvents

extension Sweep {
  func checkAccount(_ seen: Seen, _ transaction: Transaction) {
    guard let stated = seen.event.account, let owner = transaction.account,
      transaction.holder != nil
    else { return }
    let customer = holdings.customer(stated)
    let known = [owner] + transaction.movedTo
    if !known.contains(where: { holdings.customer($0) == customer }) {
      noteOnce("account-changed", seen, transaction)
    }
  }

  func checkPurchase(_ seen: Seen, _ transaction: Transaction) {
    let chain = transaction.chain
    let isShared = seen.isFamilyShared
    if !isShared, !chain.wasShared, transaction.purchaseFacts.first === seen,
      let customer = holdings.customer(transaction.holder)
    {
      let others = chain.transactions.filter {
        guard $0 !== transaction else { return false }
        return $0.purchaseFacts.contains { $0.index < seen.index && !$0.isFamilyShared }
      }
      if others.contains(where: {
        holdings.customer($0.holder).map { $0 != customer } ?? false
      }) {
        chain.wasShared = true
        note("original-shared", seen)
      }
    }
    if !isShared, seen.kind == .transactionPurchased, chain.firstPurchaseFact === seen {
      checkPurchasedTwice(seen, transaction)
    }
  }

  private func checkPurchasedTwice(_ seen: Seen, _ transaction: Transaction) {
    guard transaction.statedOriginal != nil, let holder = transaction.holder,
      world.kind(of: transaction.chain) == "nonConsumable", let product = world.product(of: seen)
    else { return }
    for account in holdings.accounts(holder) {
      for held in holdings.transactions[account] ?? [] {
        let chain = held.chain
        guard chain !== transaction.chain, let bought = held.purchaseFacts.first,
          bought.index < seen.index, let first = chain.firstPurchaseFact,
          first.transaction?.statedOriginal != nil, world.product(of: first) == product,
          world.kind(of: chain) == "nonConsumable",
          world.taken(world.verdict(on: chain, before: seen.index)) == nil
        else { continue }
        note("purchased-twice", seen)
        return
      }
    }
  }

  /// Checks `purchased-after-failure` at the first purchased delivery of a transaction.
  func checkEarlierFailure(_ seen: Seen, _ transaction: Transaction) {
    guard let product = world.product(of: seen) else { return }
    let customer = holdings.customer(transaction.holder)
    for failure in (failuresByProduct[product] ?? []).reversed() {
      if seen.at - failure.at > Instant.day { return }
      guard let other = failure.transaction, other !== transaction else { continue }
      let otherCustomer = holdings.customer(other.holder)
      if customer != otherCustomer { continue }
      if customer == nil, failure.event.device != seen.event.device { continue }
      note("purchased-after-failure", seen)
      return
    }
  }

  func addPayment(_ seen: Seen) {
    payments.append(seen)
    let device = seen.event.device
    if paymentsAllowed[device] == false { note("payment-not-allowed", seen) }
    guard let product = seen.event.product else { return }
    if invalidProducts[DeviceProduct(device: device, product: product)] == true {
      note("invalid-product", seen)
    }
  }

  /// Records versions on offer and invalid ids, from store responses and published versions.
  func offer(_ seen: Seen) {
    if seen.kind == .contentVersionPublished {
      guard let product = seen.event.product, let version = seen.string("contentVersion") else {
        return
      }
      if let known = versionOnOffer[product], !versionPrecedes(known, version) {
        note("version-not-increased", seen)
      }
      offer(version, of: product)
      return
    }
    for text in seen.value("products")?.elements ?? [] {
      guard let product = text["product"]?.string.map({ Name($0) }) else { continue }
      invalidProducts[DeviceProduct(device: seen.event.device, product: product)] = false
      if let version = text["contentVersion"]?.string { offer(version, of: product) }
    }
    for text in seen.value("invalid")?.elements ?? [] {
      guard let product = text.string.map({ Name($0) }) else { continue }
      invalidProducts[DeviceProduct(device: seen.event.device, product: product)] = true
    }
  }

  func offer(_ version: String, of product: Name) {
    if let known = versionOnOffer[product], !versionPrecedes(known, version) { return }
    versionOnOffer[product] = version
  }
}
