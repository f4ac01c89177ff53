import Audit
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

/// The questions about many customers.
enum LedgerQuestions {
  static let holders: QuestionReader = { (items) throws(Problem) in
    let product = try items.required("product")
    let states = try items.states()
    let environments = try items.environments()
    let (page, limit) = (try PageClocks(items), try items.limit())
    return Question(.everybody) { (view, now) throws(LedgerError) in
      let moment = try page.moment(view, now)
      var pager = try Pager(page.cursor, limit: limit, in: view)
      try view.holders(
        of: product, environments: environments, clocks: moment.clocks, now: moment.at
      ) { holder in
        guard states.isEmpty || states.contains(holder.state) else { return true }
        return pager.add { JSONText.text { holder.write(to: &$0) } }
      }
      return pager.answer(columns: HolderAnswer.columns, moment)
    }
  }

  static let customers: QuestionReader = { (items) throws(Problem) in
    let search = try items.name("search")
    let environments = try items.environments()
    let (cursor, limit) = (try items.cursor(), try items.limit())
    return Question(.everybody, named: search.map { "search \($0.text)" }) {
      (view, now) throws(LedgerError) in
      let (position, at) = (view.position, cursor?.at ?? now)
      var pager = try Pager(cursor, limit: limit, in: view)
      func add(_ customer: CustomerAnswer) -> Bool {
        pager.add { JSONText.text { customer.write(to: &$0) } }
      }
      if let search {
        let found = try view.customers(matching: search, environments: environments, now: at)
        for customer in found { guard add(customer) else { break } }
      } else {
        try view.customers(environments: environments, now: at, add)
      }
      return pager.answer(columns: CustomerAnswer.columns, position: position, at: at)
    }
  }

  static let differences: QuestionReader = { (items) throws(Problem) in
    guard let from = try items.ledgerTime("from") else {
      throw Problem(.badRequest, "from is missing: expected a position or a time.")
    }
    var question = DiffQuestion(
      from: from, to: try items.ledgerTime("to"), at: try items.instant("at"),
      asOf: try items.ledgerTime("asOf"))
    let (cursor, limit) = (try items.cursor(), try items.limit())
    let (customer, environments) = (try items.customer(), try items.environments())
    try refuseContradiction(question)
    // The second page ends where the first one did.
    if let cursor, question.asOf == nil, question.to == nil {
      question.to = .position(cursor.position)
    }
    let asked = question
    let others = OtherStates { (view) throws(LedgerError) in
      guard let customer else { return [] }
      let (before, after) = asked.sides(view)
      let account = CustomerReference.account(try view.account(of: customer, environments, after))
      return [before, after].map { .init(customer: account, clocks: $0) }
    }
    return Question(customer.map { .customer($0, others) } ?? .everybody) {
      (view, now) throws(LedgerError) in
      if let turned = try asked.turned(view) {
        throw LedgerError(
          .notFound, "from must not be later than to: from is \(turned.from), to is \(turned.to).")
      }
      let (before, after) = asked.sides(view)
      var account: Name?
      if let customer { account = try view.account(of: customer, environments, after) }
      var pager = try Pager(cursor, limit: limit, in: view)
      try view.differences(
        from: before, to: after, account: account, environments: environments
      ) { difference in
        pager.add { JSONText.text { difference.write(to: &$0) } }
      }
      return pager.answer(
        columns: CustomerDifference.columns, position: cursor?.position ?? view.position,
        at: cursor?.at ?? now)
    }
  }

  private static func refuseContradiction(_ question: DiffQuestion) throws(Problem) {
    guard question.asOf != nil else { return }
    guard question.at == nil else {
      throw Problem(
        .badRequest, "at and asOf cannot be combined: with both clocks fixed, nothing changes.")
    }
    for side in [question.from, question.to].compactMap({ $0 }) {
      guard case .instant = side else {
        throw Problem(
          .badRequest, "With asOf, from and to are store times, such as 2026-03-01T00:00:00Z.")
      }
    }
  }
}

extension QueryItems {
  fileprivate func states() throws(Problem) -> Set<EntitlementState> {
    var states: Set<EntitlementState> = []
    for text in texts("state") {
      guard let state = EntitlementState.allCases.first(where: { $0.text == text }) else {
        throw Self.unknown("state", text, among: EntitlementState.allCases.map(\.text))
      }
      states.insert(state)
    }
    return states
  }
}

extension JSONText {
  /// The text that `body` writes.
  static func text(_ body: (inout JSONText) -> Void) -> String {
    var json = JSONText()
    body(&json)
    return json.text
  }
}
