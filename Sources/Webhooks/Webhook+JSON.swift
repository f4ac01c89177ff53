package import LedgerAnswers
package import LedgerEvents
internal import LedgerModel
package import LedgerStore

extension Webhook {
  /// The members that ``write(_:to:)`` writes.
  package static let members = [
    "name", "url", "types", "environments", "products", "rules", "severities", "apps",
    "createdAt", "since", "pausedAt", "pauseReason", "waiting", "delivered", "dead",
    "oldestWaitingAt",
  ]

  /// Writes what it tells, and how many of its deliveries are in which state, as members of an
  /// object.
  package func write(_ counts: DeliveryCounts, to json: inout JSONText) {
    json.member("name", name)
    json.member("url", url)
    json.member("types", strings: filter.types)
    json.member("environments", strings: filter.environments.map(\.text))
    json.member("products", names: filter.products)
    json.member("rules", strings: filter.rules.map(\.id))
    json.member("severities", strings: filter.severities.map(\.text))
    json.member("apps", names: filter.apps)
    json.member("createdAt", createdAt)
    json.member("since", since)
    json.member("pausedAt", pausedAt)
    json.member("pauseReason", pauseReason)
    json.member("waiting", counts.waiting)
    json.member("delivered", counts.delivered)
    json.member("dead", counts.dead)
    json.member("oldestWaitingAt", counts.oldestWaitingAt)
  }
}

extension Delivery {
  /// The members that ``write(account:to:)`` writes.
  package static let members = [
    "number", "id", "type", "account", "position", "at", "state", "attempts", "lastAt", "nextAt",
    "status", "problem",
  ]

  /// Writes what became of a message, as members of an object.
  ///
  /// - Parameter account: Whom it is about; nil if it is about no account, or that was erased.
  package func write(account: Name?, to json: inout JSONText) {
    json.member("number", number)
    json.member("id", id)
    json.member("type", type)
    json.member("account", account)
    json.member("position", position)
    json.member("at", at)
    json.member("state", state.text)
    json.member("attempts", attempts)
    json.member("lastAt", lastAt)
    json.member("nextAt", nextAt)
    json.member("status", status)
    json.member("problem", problem)
  }

  /// The account that a message is about, by its name; nil if it is about none, or that was erased.
  ///
  /// - Throws: ``LedgerError``: `corrupt`, `io`.
  package func account(in ledger: Ledger) throws(LedgerError) -> Name? {
    guard isAboutAccount else { return nil }
    return try ledger.log.read { (view) throws(LedgerError) in
      try view.isErased(name: customer) ? nil : try view.name(customer).name
    }
  }
}
