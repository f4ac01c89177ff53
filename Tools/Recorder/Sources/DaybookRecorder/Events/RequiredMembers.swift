extension EventDraft {
  /// What the ledger demands of an event of this type (`docs/events.md`) and this one lacks: it
  /// would be refused for ever. Names as in the event, with a dot before those of `data`, and with
  /// the limit for one that is too long.
  ///
  /// - Parameter account: Whose event it will be.
  func missing(account: String?) -> [String] {
    var missing = Self.tooLong([
      ("account", account), ("payment", payment), ("product", product),
      ("transaction", transaction), ("originalTransaction", originalTransaction),
      ("download", download),
    ])
    func need(_ name: String, _ isThere: Bool) { if !isThere { missing.append(name) } }
    func has(_ text: String?) -> Bool { text.map { !$0.isEmpty } ?? false }
    func hasData(_ name: String) -> Bool { data.members.contains { $0.name == name } }
    switch kind {
    case .purchased, .restored:
      need("transaction", has(transaction))
      need("product", has(product))
    case .purchasing, .deferred, .failed, .finished, .removed:
      need("transaction or payment", has(transaction) || has(payment))
    case .refundRequested, .refunded, .revoked, .fulfilled, .fulfillmentFailed:
      need("transaction", has(transaction))
    case .expired, .gracePeriodEntered, .billingFailed, .billingRecovered, .autoRenewChanged,
      .planChanged, .priceIncreased:
      need("transaction or originalTransaction", has(transaction) || has(originalTransaction))
    case .downloadRequested, .downloadPauseRequested, .downloadResumeRequested,
      .downloadCancelRequested, .downloadWaiting, .downloadProgressed, .downloadPaused,
      .downloadFinished, .downloadFailed, .downloadCancelled:
      need("transaction", has(transaction))
      need("download", has(download))
    case .paymentAdded, .installStarted, .installFailed, .activated, .contentRemoved:
      need("product", has(product))
    case .installed:
      need("product", has(product))
      need("data.contentVersion", hasData("contentVersion"))
    case .consumed:
      need("account", has(account))
      need("data.unit", hasData("unit"))
      need("data.amount", hasData("amount"))
    case .storefrontChanged: need("data.storefront", hasData("storefront"))
    case .sessionStarted, .sessionBackgrounded, .sessionForegrounded, .sessionEnded,
      .observerAdded, .observerRemoved, .catalogRequested, .catalogReceived, .catalogFailed,
      .paymentsChecked, .receiptSubmitted, .receiptAccepted, .receiptRejected, .restoreRequested,
      .restoreCompleted, .restoreFailed, .contentPurged:
      break
    }
    return missing
  }

  /// Which of these names are longer than a ledger accepts.
  static func tooLong(_ names: [(name: String, value: String?)]) -> [String] {
    names.filter { ($0.value?.utf8.count ?? 0) > nameBytesMax }
      .map { "\($0.name) of at most \(nameBytesMax) bytes" }
  }

  /// The longest name that a ledger accepts (`docs/events.md`, *Forms*), in bytes of UTF-8.
  static let nameBytesMax = 512
}
