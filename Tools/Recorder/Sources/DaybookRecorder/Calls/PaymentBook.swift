/// The names of payments. StoreKit 1 gives no identifier before the purchase, and none to a
/// failure, so the recorder names each payment itself, and finds its name again when the queue
/// reports it: by the transaction's identifier, by its object within a launch, else by what the
/// payment says. One that was added elsewhere, and is reported without an identifier, gets a name
/// then.
struct PaymentBook: Sendable, Equatable, Codable {
  private struct Entry: Sendable, Equatable, Codable {
    var name: String
    var product: String
    var quantity: Int
    var account: String?
    var transaction: String?
    /// Whether it was finished without a purchase.
    var isClosed = false
    /// Whether it was added in an earlier launch.
    var isOld = false
  }

  /// Enough for every payment of a customer that can still come back.
  static let paymentsMax = 256

  private var entries: [Entry] = []
  /// The names of the transactions that were reported in this launch, by their object.
  private var live: [UInt: String] = [:]

  private enum CodingKeys: String, CodingKey { case entries }

  /// Call it at a launch: objects of the last one are gone.
  mutating func beginLaunch() {
    live = [:]
    for index in entries.indices { entries[index].isOld = true }
  }

  mutating func add(_ payment: QueuePayment, account: String?, named name: String) {
    entries.append(
      Entry(
        name: name, product: payment.product, quantity: payment.quantity,
        account: account.map(AccountToken.canonical)))
    if entries.count > Self.paymentsMax { entries.removeFirst(entries.count - Self.paymentsMax) }
  }

  /// The payment of a transaction that the app did not add here: before it used this package, or
  /// in another process.
  mutating func adopt(_ transaction: QueueTransaction, named name: String) {
    add(transaction.payment, account: transaction.payment.account, named: name)
    live[transaction.object] = name
  }

  /// The name of the payment that a transaction belongs to; nil if the app added none, as for a
  /// renewal or a restored transaction.
  mutating func name(of transaction: QueueTransaction) -> String? {
    guard let index = known(transaction) ?? inUse(transaction) ?? find(transaction) else {
      return nil
    }
    live[transaction.object] = entries[index].name
    if let identifier = transaction.transaction, entries[index].transaction == nil {
      entries[index].transaction = identifier
    }
    return entries[index].name
  }

  /// The payment was finished without a purchase. It answers no new transaction.
  mutating func close(_ transaction: QueueTransaction) {
    guard let name = name(of: transaction),
      let index = entries.firstIndex(where: { $0.name == name })
    else { return }
    entries[index].isClosed = true
  }

  /// The transaction left the queue: another object can have its address from now on.
  mutating func forgetObject(_ transaction: QueueTransaction) { live[transaction.object] = nil }

  /// By its identifier.
  private func known(_ transaction: QueueTransaction) -> Int? {
    guard let identifier = transaction.transaction else { return nil }
    return entries.firstIndex { $0.transaction == identifier }
  }

  /// By its object, unless another transaction has its address now.
  private func inUse(_ transaction: QueueTransaction) -> Int? {
    guard let name = live[transaction.object],
      let index = entries.firstIndex(where: { $0.name == name })
    else { return nil }
    let entry = entries[index]
    let isOther =
      entry.product != transaction.payment.product
      || (entry.transaction != nil && transaction.transaction != nil
        && entry.transaction != transaction.transaction)
    return isOther ? nil : index
  }

  private func find(_ transaction: QueueTransaction) -> Int? {
    // A restored transaction answers no payment, and neither does a renewal: one that was found
    // for it could be another customer's.
    guard transaction.state != .restored, !transaction.isRenewal else { return nil }
    let taken = Set(live.values)
    let account = transaction.payment.account.map(AccountToken.canonical)
    let fitting = entries.indices.filter { index in
      let entry = entries[index]
      // A payment that failed and was finished can be reported as failed again, if the queue lost
      // the finish; and it can be bought after all in the same launch, when the customer went to
      // the store to agree to something. Anything else that follows it is the next attempt.
      let mayAnswer =
        !entry.isClosed || transaction.state == .failed
        || (transaction.state == .purchased && !entry.isOld)
      return entry.product == transaction.payment.product
        && entry.quantity == transaction.payment.quantity && entry.transaction == nil
        && mayAnswer && !taken.contains(entry.name)
        && (entry.account == nil || account == nil || entry.account == account)
    }
    // The oldest of this launch first: the queue reports payments in the order of their adding.
    return fitting.first { !entries[$0].isOld && !entries[$0].isClosed }
      ?? fitting.first { !entries[$0].isClosed }
      ?? (transaction.state == .purchased ? fitting.last : fitting.first)
  }
}

extension QueueTransaction {
  /// Whether it continues an earlier purchase, and nobody tapped for it.
  fileprivate var isRenewal: Bool {
    guard state == .purchased, let original, !original.isEmpty else { return false }
    return original != transaction
  }
}
