import LedgerEvents

extension Receipt {
  /// What the store says of the next renewal: whether it is wanted, why it failed, how it ended.
  ///
  /// Only the end of a lapsed subscription has a date, its expiry. The rest is what the store saw
  /// when it was asked: an observation, dated and identified by that time. It is left out where
  /// the newest one up to then says the same.
  func facts(
    of subject: RenewalSubject, _ known: KnownRenewals
  ) throws(ImportError) -> [Event] {
    var facts = try lapsed(subject, known)
    facts += try billing(subject, known)
    for observation in [try autoRenewChanged(subject), try priceIncreased(subject)] {
      guard let observation else { continue }
      let newest = known.newest(of: [observation.type.kind], upTo: observation.occurredAt)
      if isNews(observation, after: newest) { facts.append(observation) }
    }
    return facts
  }

  /// Whether an observation adds something; one that the ledger has under its id is kept, so that
  /// the same file again is the same events.
  private func isNews(_ event: Event, after newest: Event?) -> Bool {
    guard let newest else { return true }
    return newest.id == event.id || !KnownRenewals.saysTheSame(newest, event)
  }

  /// A subscription with `expiration_intent` that the store no longer tries to renew ended when its
  /// last period did.
  ///
  /// It occurs at that end, unless the ledger knows of a grace period or a billing failure after
  /// it: those would then be the newer fact, so it occurs when the store said it.
  private func lapsed(
    _ subject: RenewalSubject, _ known: KnownRenewals
  ) throws(ImportError) -> [Event] {
    guard let intent = try subject.entry.text("expiration_intent"), intent != "0" else { return [] }
    if try isStillTried(subject) { return [] }
    if let end = subject.periodEnd, let askedAt, end > askedAt { return [] }
    var data = EventData.Builder()
    data.set("expiresAt", subject.periodEnd)
    data.set("reason", Self.expirationIntents[intent] ?? intent)
    var occurredAt: Instant
    if let end = subject.periodEnd {
      occurredAt = end
      if known.isInterrupted(after: end) {
        let saidAt = try dateOfAnswer(subject, "expiration_intent")
        occurredAt = max(end, saidAt)
      }
    } else {
      occurredAt = try dateOfAnswer(subject, "expiration_intent")
    }
    let lapsed = try fact(.subscriptionExpired, subject, at: occurredAt, data)
    let newest = known.newest(of: KnownRenewals.billing, upTo: askedAt ?? occurredAt)
    return isNews(lapsed, after: newest) ? [lapsed] : []
  }

  private func isStillTried(_ subject: RenewalSubject) throws(ImportError) -> Bool {
    if try subject.entry.flag("is_in_billing_retry_period") == true { return true }
    guard let end = try subject.entry.date("grace_period_expires_date"), let askedAt else {
      return false
    }
    return end > askedAt
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
      .subscriptionAutoRenewChanged, subject, at: dateOfAnswer(subject, "auto_renew_status"), data)
  }

  /// A failed renewal and the grace period that covers it.
  ///
  /// Both have one date where a grace period runs; that their ids put the failure before the grace
  /// (`billingFailed` before `gracePeriodEntered`) makes grace the newer one.
  private func billing(
    _ subject: RenewalSubject, _ known: KnownRenewals
  ) throws(ImportError) -> [Event] {
    var facts: [Event] = []
    if try subject.entry.flag("is_in_billing_retry_period") == true {
      let failedAt = try dateOfAnswer(subject, "is_in_billing_retry_period")
      facts.append(try fact(.subscriptionBillingFailed, subject, at: failedAt, EventData.Builder()))
    }
    if let end = try subject.entry.date("grace_period_expires_date") {
      let seenAt = try dateOfAnswer(subject, "grace_period_expires_date")
      // A grace that is over when the store is asked is history, and retry or expiry say what is.
      if end > seenAt {
        var data = EventData.Builder()
        data.set("gracePeriodExpiresAt", end)
        facts.append(try fact(.subscriptionGracePeriodEntered, subject, at: seenAt, data))
      }
    }
    guard let last = facts.last else { return [] }
    let newest = known.newest(of: KnownRenewals.billing, upTo: last.occurredAt)
    // Without the period one failure cannot be told from that of another period.
    if subject.period != nil, !isNews(last, after: newest) { return [] }
    if let again = try lapsedAgain(subject, known, after: last.occurredAt) { facts.append(again) }
    return facts
  }

  /// The end of this period, told again after its billing failure.
  ///
  /// A newer answer may be imported before an older one. The store stops trying for good, so an
  /// end that it stated later than this failure comes after it.
  private func lapsedAgain(
    _ subject: RenewalSubject, _ known: KnownRenewals, after time: Instant
  ) throws(ImportError) -> Event? {
    guard let end = subject.periodEnd, let lapse = known.lapse(at: end, hiddenAt: time) else {
      return nil
    }
    var data = EventData.Builder()
    data.set("expiresAt", end)
    data.set("reason", lapse.event.data.string("reason"))
    return try fact(.subscriptionExpired, subject, at: lapse.saidAt, data)
  }

  private func priceIncreased(_ subject: RenewalSubject) throws(ImportError) -> Event? {
    for name in ["price_increase_status", "price_consent_status"] {
      guard let consented = try subject.entry.flag(name) else { continue }
      var data = EventData.Builder()
      data.set("consented", consented)
      return try fact(
        .subscriptionPriceIncreased, subject, at: dateOfAnswer(subject, name), data)
    }
    return nil
  }

  private func dateOfAnswer(
    _ subject: RenewalSubject, _ name: String
  ) throws(ImportError) -> Instant {
    guard let askedAt, askedAt.isInRange else {
      throw Self.undated(
        "\(subject.entry.path(of: name)) has no date of its own, and the answer does not say when "
          + "the store gave it")
    }
    return askedAt
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
    let transaction = subject.period?.transaction
    let varying = data.contents + [subject.product ?? "", transaction ?? ""]
    return event(
      EventType(kind), named: Self.verb(of: kind), about: subject.original, at: occurredAt,
      product: subject.product, transaction: transaction, original: subject.original, data,
      moments: [occurredAt], varying: varying)
  }
}
