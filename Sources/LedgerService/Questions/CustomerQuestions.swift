import Audit
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

/// The questions about one customer.
enum CustomerQuestions {
  static let entitlements: QuestionReader = { (items) throws(Problem) in
    let customer = try items.requiredCustomer()
    let (clocks, environments) = (try items.clocks(), try items.environments())
    return Question(.customer(customer, .of(customer, at: clocks))) {
      (view, now) throws(LedgerError) in
      let answer = try view.entitlements(
        of: customer, environments: environments, clocks: clocks, now: now)
      let json = answer.json(of: customer, try view.unverified(in: answer))
      return Answer(
        content: .document(json, rows: "entitlements"), columns: EntitlementsAnswer.columns,
        position: answer.position, at: answer.at, changesAt: answer.nextChangeAt)
    }
  }

  static let transactions: QuestionReader = { (items) throws(Problem) in
    let customer = try items.requiredCustomer()
    let (clocks, environments) = (try items.clocks(), try items.environments())
    let onlyOpen = try items.flag("open")
    return Question(.customer(customer, .of(customer, at: clocks))) {
      (view, _) throws(LedgerError) in
      var answer = try view.transactions(of: customer, environments: environments, clocks: clocks)
      if onlyOpen { answer.entries.removeAll { !$0.isOnQueue } }
      return Answer(
        content: .document(answer.json(of: customer), rows: "transactions"),
        columns: TransactionsAnswer.columns, position: answer.position)
    }
  }

  static let installed: QuestionReader = { (items) throws(Problem) in
    let customer = try items.requiredCustomer()
    let (clocks, environments) = (try items.clocks(), try items.environments())
    let onlyOutdated = try items.flag("outdated")
    return Question(.customer(customer, .of(customer, at: clocks))) {
      (view, _) throws(LedgerError) in
      var contents = try view.installed(of: customer, environments: environments, clocks: clocks)
      if onlyOutdated { contents.removeAll { !$0.updateAvailable } }
      let position = if let asOf = clocks.asOf { try view.position(asOf) } else { view.position }
      let isKnown = try view.isKnown(customer, clocks)
      var json = JSONText()
      json.object { json in
        customer.write(to: &json)
        json.member("known", isKnown)
        json.member("position", position)
        json.member("environment", environments)
        json.member("installed", each: contents) { $1.write(to: &$0, account: nil) }
      }
      return Answer(
        content: .document(json.text, rows: "installed"), columns: InstalledAnswer.columns,
        position: position)
    }
  }

  static let explain: QuestionReader = { (items) throws(Problem) in
    let customer = try items.requiredCustomer()
    let (clocks, environments) = (try items.clocks(), try items.environments())
    let name = try items.name("name")
    if case .account = customer, name == nil {
      throw Problem(.badRequest, "name is missing: expected a product or an entitlement.")
    }
    let others = explained(customer, environments, clocks, now: items.now)
    return Question(
      .customer(customer, others),
      knowing: { (view, now, token) throws(LedgerError) in
        let report = try AccessRule.seen(
          by: token,
          try view.explained(
            name, of: customer, environments: environments, clocks: clocks, now: now))
        return Answer(
          content: .document(report.json, rows: "events"), columns: ExplainReport.columns,
          position: report.explanation.position, at: report.explanation.at)
      })
  }

  /// The states of which an explanation tells: that at the clocks, and what the ledger knows by now
  /// of the same store time, about whoever owned the purchase then.
  static func explained(
    _ customer: CustomerReference, _ environments: [StoreEnvironment], _ clocks: Clocks,
    now: Instant
  ) -> OtherStates {
    OtherStates { (view) throws(LedgerError) in
      var states = [OtherStates.State(customer: customer, clocks: clocks)]
      if clocks.asOf != nil {
        let owner = CustomerReference.account(try view.account(of: customer, environments, clocks))
        states.append(.init(customer: owner, clocks: Clocks(at: clocks.at ?? now)))
        // Without a store time, it is judged at the newest event if that is later.
        if clocks.at == nil { states.append(.init(customer: owner, clocks: .now)) }
      }
      return states
    }
  }

  /// Everything that support asks first, for any id of a customer.
  static let customer: QuestionReader = { (items) throws(Problem) in
    let id = try items.required("id")
    let events = try items.number("events", in: 0...1_000) ?? 10
    let (clocks, environments) = (try items.clocks(), try items.environments())
    // Whose id it is, only the ledger knows.
    return Question(.everybody, named: "id \(id.text)") { (view, now) throws(LedgerError) in
      let found = try view.customers(matching: id, environments: environments, now: now)
      guard let customer = found.onlyOne else {
        if found.first?.matches.first?.nearness == .exact {
          throw LedgerError(
            .notFound,
            "\(found.count) customers have this id: ask for one of them by its account. "
              + found.prefix(10).map(\.title).joined(separator: ", "))
        }
        return Answer(
          content: .document(CustomerDocument.json(unknown: id, near: found), rows: nil),
          columns: CustomerDocument.columns, position: view.position)
      }
      let overview = try view.overview(
        of: customer.reference, environments: environments, clocks: clocks, now: now,
        eventCountMax: Int(events))
      return Answer(
        content: .document(CustomerDocument(id: id, customer, overview).json, rows: nil),
        columns: CustomerDocument.columns, position: overview.entitlements.position,
        at: overview.entitlements.at)
    }
  }
}
