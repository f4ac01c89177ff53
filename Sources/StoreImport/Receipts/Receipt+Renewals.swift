import LedgerEvents

extension Receipt {
  /// Returns the facts about the next renewal: whether it is wanted, why it failed, and how it
  /// ended.
  ///
  /// Only the end of a lapsed subscription has its own date, the expiry. Everything else is what
  /// the store observed when it was asked, and is dated and identified by that time. An observation
  /// is left out if the newest one up to then says the same.
  func facts(
    of subject: RenewalSubject, _ known: KnownRenewals
  ) throws(ImportError) -> [Event] {
    var facts = try lapsed(subject, known)
    facts += try billing(subject, known)
    for observation in [try autoRenewChanged(subject), try priceIncreased(subject)] {
      guard let observation else { continue }
      if isNews(observation, among: [observation.type.kind], known) { facts.append(observation) }
    }
    return facts
  }

  /// Returns whether an observation adds something to those of some kinds up to its time. Of two of
  /// one moment, that which says what was known before adds nothing, whichever is imported first.
  private func isNews(
    _ event: Event, among kinds: Set<EventKind>, _ known: KnownRenewals
  ) -> Bool {
    let newest = known.newest(of: kinds, upTo: event.occurredAt)
    if let newest, newest.id != event.id, newest.occurredAt == event.occurredAt {
      let time = Instant(microseconds: event.occurredAt.microseconds - 1)
      let before = known.newest(of: kinds, upTo: time)
      if before != nil, !isNews(event, after: before) { return false }
    }
    return isNews(event, after: newest)
  }

  /// Returns whether an observation adds something. One that the ledger has under the same id is
  /// kept, so that importing a file again gives the same events.
  private func isNews(_ event: Event, after newest: Event?) -> Bool {
    guard let newest else { return true }
    return newest.id == event.id || !evidence.isCovered(by: newest)
      || !KnownRenewals.saysTheSame(newest, event)
  }

  /// Returns the end of a subscription that has an `expiration_intent` and that the store no longer
  /// tries to renew. It ended with its last period.
  ///
  /// The event occurs at that end. If the ledger has a grace period or a billing failure after it,
  /// those would be the newer fact, so the event then occurs at the time of the store's statement.
  private func lapsed(
    _ subject: RenewalSubject, _ known: KnownRenewals
  ) throws(ImportError) -> [Event] {
    guard let intent = try subject.entry.text(.expirationIntent), intent != "0" else { return [] }
    if try isStillTried(subject) { return [] }
    if let end = subject.periodEnd, let askedAt, end > askedAt { return [] }
    var data = EventData.Builder()
    data.set("expiresAt", subject.periodEnd)
    data.set("reason", Self.expirationIntents[intent] ?? intent)
    var occurredAt: Instant
    if let end = subject.periodEnd {
      occurredAt = end
      let period = subject.period.map { Name($0.transaction) }
      if known.isInterrupted(after: end, of: period) {
        let saidAt = try dateOfAnswer(subject, .expirationIntent)
        occurredAt = max(end, saidAt)
      } else if isSigned {
        // If a failure before that is imported later, the end is recorded again at this time. An
        // answer of verifyReceipt has its time in `import.received`.
        data.set("signedAt", askedAt)
      }
    } else {
      occurredAt = try dateOfAnswer(subject, .expirationIntent)
    }
    let lapsed = try fact(.subscriptionExpired, subject, at: occurredAt, data)
    let newest = known.newest(of: KnownRenewals.billing, upTo: askedAt ?? occurredAt)
    return isNews(lapsed, after: newest) ? [lapsed] : []
  }

  private func isStillTried(_ subject: RenewalSubject) throws(ImportError) -> Bool {
    if try subject.entry.flag(.isInBillingRetry) == true { return true }
    guard let end = try subject.entry.eventDate(.gracePeriodExpiresDate), let askedAt else {
      return false
    }
    return end > askedAt
  }

  private func autoRenewChanged(_ subject: RenewalSubject) throws(ImportError) -> Event? {
    guard let autoRenew = try subject.entry.flag(.autoRenewStatus) else { return nil }
    var data = EventData.Builder()
    data.set("autoRenew", autoRenew)
    if let product = try subject.entry.text(.nextProduct) {
      data.set("toProduct", product)
    }
    let promotion = try subject.entry.text(.promotionalOffer)
    let code = try subject.entry.text(.offerCode)
    data.set("offer", promotion ?? code)
    return try fact(
      .subscriptionAutoRenewChanged, subject, at: dateOfAnswer(subject, .autoRenewStatus), data)
  }

  /// Returns a failed renewal and the grace period that covers it.
  ///
  /// Both have the same date during a grace period. Their ids sort the failure first
  /// (`billingFailed` before `gracePeriodEntered`), which makes the grace period the newer fact.
  private func billing(
    _ subject: RenewalSubject, _ known: KnownRenewals
  ) throws(ImportError) -> [Event] {
    var facts: [Event] = []
    if try subject.entry.flag(.isInBillingRetry) == true {
      let failedAt = try dateOfAnswer(subject, .isInBillingRetry)
      facts.append(try fact(.subscriptionBillingFailed, subject, at: failedAt, EventData.Builder()))
    }
    if let end = try subject.entry.eventDate(.gracePeriodExpiresDate) {
      let seenAt = try dateOfAnswer(subject, .gracePeriodExpiresDate)
      // A grace period that is over when the store is asked is history; retry or expiry describe
      // the present.
      if end > seenAt {
        var data = EventData.Builder()
        data.set("gracePeriodExpiresAt", end)
        facts.append(try fact(.subscriptionGracePeriodEntered, subject, at: seenAt, data))
      }
    }
    guard let last = facts.last else { return [] }
    // Without the period, this failure cannot be distinguished from that of another period.
    if subject.period != nil, !isNews(last, among: KnownRenewals.billing, known) { return [] }
    let failure = KnownRenewals.Failure(last)
    if let again = try lapsedAgain(subject, known, after: failure) { facts.append(again) }
    return facts
  }

  /// Returns the end of this period again, after its billing failure.
  ///
  /// A newer answer can be imported before an older one. The store stops trying for good, so an end
  /// that it stated after this failure is later.
  func lapsedAgain(
    _ subject: RenewalSubject, _ known: KnownRenewals, after failure: KnownRenewals.Failure
  ) throws(ImportError) -> Event? {
    guard let end = subject.periodEnd, let lapse = known.lapse(at: end, hiddenBy: failure) else {
      return nil
    }
    var data = EventData.Builder()
    data.set("expiresAt", end)
    data.set("reason", lapse.event.data.string("reason"))
    return try fact(.subscriptionExpired, subject, at: lapse.saidAt, data)
  }

  private func priceIncreased(_ subject: RenewalSubject) throws(ImportError) -> Event? {
    let members: [StoreMember] = [.priceIncreaseStatus, .priceConsentStatus]
    for member in members {
      guard let consented = try subject.entry.flag(member) else { continue }
      var data = EventData.Builder()
      data.set("consented", consented)
      return try fact(
        .subscriptionPriceIncreased, subject, at: dateOfAnswer(subject, member), data)
    }
    return nil
  }

  private func dateOfAnswer(
    _ subject: RenewalSubject, _ member: StoreMember
  ) throws(ImportError) -> Instant {
    guard let askedAt, askedAt.isInRange else {
      throw undated(
        "\(subject.entry.path(of: member)) has no date of its own, and the answer does not state "
          + "when the store gave it")
    }
    return askedAt
  }

  /// The values of `expiration_intent`
  /// (https://developer.apple.com/documentation/appstorereceipts/expiration_intent).
  static let expirationIntents = [
    "1": "cancelled", "2": "billingError", "3": "priceIncreaseDeclined",
    "4": "productUnavailable", "5": "unknown",
  ]

  func fact(
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
