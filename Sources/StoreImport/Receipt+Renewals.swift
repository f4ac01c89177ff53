import LedgerEvents

/// The chain that an entry of `pending_renewal_info` speaks of.
private struct RenewalSubject {
  let entry: StoreObject
  let original: String
  let product: String?
  /// Its last paid period, where the answer lists one.
  let period: ReceiptTransaction?
  let periodEnd: Instant?
}

extension Receipt {
  /// What the store says of the next renewal: whether it is wanted, why it failed, how it ended.
  ///
  /// Only the end of a lapsed subscription has a date, its expiry. The rest is what the store saw
  /// when it was asked, and every answer is a new observation.
  func facts(of entry: StoreObject) throws(ImportError) -> [Event] {
    guard let original = try entry.text("original_transaction_id") else {
      throw ImportError(
        .missing, path: entry.path(of: "original_transaction_id"),
        reason: "a pending renewal names the original transaction of its subscription",
        remedy: "Check that the file is what the store gave")
    }
    let period = try lastPeriod(of: original)
    let product = try entry.text("product_id")
    let subject = RenewalSubject(
      entry: entry, original: original, product: product ?? period?.product, period: period,
      periodEnd: try period?.expiresAt())
    var facts: [Event] = []
    if let expired = try expired(subject) { facts.append(expired) }
    if let changed = try autoRenewChanged(subject) { facts.append(changed) }
    facts += try billing(subject)
    if let increased = try priceIncreased(subject) { facts.append(increased) }
    return facts
  }

  /// The period that ends last; one that was refunded or upgraded only where no other is listed.
  private func lastPeriod(of original: String) throws(ImportError) -> ReceiptTransaction? {
    var last: (isWhole: Bool, end: Instant, purchase: ReceiptTransaction)?
    for purchase in purchases where try Name(purchase.original()) == Name(original) {
      guard let end = try purchase.expiresAt() else { continue }
      let isCancelled = try purchase.date("cancellation_date") != nil
      let isUpgraded = try purchase.flag("is_upgraded")
      let candidate = (isWhole: !isCancelled && !isUpgraded, end: end, purchase: purchase)
      guard let known = last else {
        last = candidate
        continue
      }
      let isLater =
        (candidate.isWhole ? 1 : 0, end.microseconds) > (
          known.isWhole ? 1 : 0, known.end.microseconds
        )
        || candidate.isWhole == known.isWhole && end == known.end
          && Name(purchase.transaction) > Name(known.purchase.transaction)
      if isLater { last = candidate }
    }
    return last?.purchase
  }

  /// A subscription with `expiration_intent` whose last period is over ended at that expiry.
  private func expired(_ subject: RenewalSubject) throws(ImportError) -> Event? {
    guard let intent = try subject.entry.text("expiration_intent"), intent != "0" else {
      return nil
    }
    if let end = subject.periodEnd, let requestedAt, end > requestedAt { return nil }
    var data = EventData.Builder()
    if let end = subject.periodEnd { data.set("expiresAt", end) }
    data.set("reason", Self.expirationIntents[intent] ?? intent)
    guard let end = subject.periodEnd else {
      let seenAt = try requestDate(subject, "expiration_intent")
      return try fact(.subscriptionExpired, subject, at: seenAt, data)
    }
    return try fact(.subscriptionExpired, subject, at: end, data)
  }

  private func autoRenewChanged(_ subject: RenewalSubject) throws(ImportError) -> Event? {
    guard let autoRenew = try subject.entry.flag("auto_renew_status") else { return nil }
    var data = EventData.Builder()
    data.set("autoRenew", autoRenew)
    if let product = try subject.entry.text("auto_renew_product_id") {
      data.set("toProduct", product)
    }
    let promotion = try subject.entry.text("promotional_offer_id")
    let code = try subject.entry.text("offer_code_ref_name")
    data.set("offer", promotion ?? code)
    return try fact(
      .subscriptionAutoRenewChanged, subject, at: requestDate(subject, "auto_renew_status"), data)
  }

  /// Both have one date where a grace period runs; that their ids put the failure before the grace
  /// (`billingFailed` before `gracePeriodEntered`) makes grace the newer one.
  private func billing(_ subject: RenewalSubject) throws(ImportError) -> [Event] {
    var facts: [Event] = []
    if try subject.entry.flag("is_in_billing_retry_period") == true {
      let failedAt = try requestDate(subject, "is_in_billing_retry_period")
      facts.append(try fact(.subscriptionBillingFailed, subject, at: failedAt, EventData.Builder()))
    }
    if let end = try subject.entry.date("grace_period_expires_date") {
      let seenAt = try requestDate(subject, "grace_period_expires_date")
      // A grace that is over when the store is asked is history, and retry or expiry say what is.
      if end > seenAt {
        var data = EventData.Builder()
        data.set("gracePeriodExpiresAt", end)
        facts.append(try fact(.subscriptionGracePeriodEntered, subject, at: seenAt, data))
      }
    }
    return facts
  }

  private func priceIncreased(_ subject: RenewalSubject) throws(ImportError) -> Event? {
    for name in ["price_increase_status", "price_consent_status"] {
      guard let consented = try subject.entry.flag(name) else { continue }
      var data = EventData.Builder()
      data.set("consented", consented)
      return try fact(
        .subscriptionPriceIncreased, subject, at: requestDate(subject, name), data)
    }
    return nil
  }

  private func requestDate(
    _ subject: RenewalSubject, _ name: String
  ) throws(ImportError) -> Instant {
    guard let requestedAt, requestedAt.isInRange else {
      throw Self.undated(
        "\(subject.entry.path(of: name)) has no date of its own, and the receipt does not say when "
          + "the store was asked")
    }
    return requestedAt
  }

  /// `expiration_intent` in words
  /// (https://developer.apple.com/documentation/appstorereceipts/expiration_intent).
  private static let expirationIntents = [
    "1": "cancelled", "2": "billingError", "3": "priceIncreaseDeclined",
    "4": "productUnavailable", "5": "unknown",
  ]

  private func fact(
    _ kind: EventKind, _ subject: RenewalSubject, at occurredAt: Instant, _ data: EventData.Builder
  ) throws(ImportError) -> Event {
    let token = try subject.period?.text("app_account_token").map { Name($0) }
    let transaction = subject.period?.transaction
    let varying = data.contents + [subject.product ?? "", transaction ?? ""]
    return event(
      EventType(kind), named: Self.verb(of: kind), about: subject.original, at: occurredAt,
      account: options.account ?? token, product: subject.product, transaction: transaction,
      original: subject.original, data, moments: [occurredAt], varying: varying)
  }
}
