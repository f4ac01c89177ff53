public import LedgerEvents
internal import LedgerModel
public import LedgerStore

/// What the customers of one unit have at the clocks: one step of a walk over the whole ledger.
public struct UnitContents: Sendable {
  /// One customer in one environment.
  public struct Customer: Sendable {
    public var environment: StoreEnvironment
    /// The linked ids, at least one; the first one represents the customer.
    public var accounts: [Name]
    public var entries: [EntitlementsAnswer.Entry]
    /// The names of entries that the customer may use now.
    public var active: Set<Name>
    public var balances: [EntitlementsAnswer.Balance]
    public var installed: [InstalledAnswer]
  }

  public var customers: [Customer]
  public var transactions: [TransactionsAnswer.Entry]
  /// The sale of each transaction, in the same order; `nil` if it has none or sales were not asked
  /// for.
  public var sales: [PostingAnswer?]
  /// What its transactions put into the books, if that was asked for.
  public var postings: [PostingAnswer]
  /// The number of events it is based on.
  public var eventCount: Int
}

extension LedgerView {
  /// Passes what every customer has to `body`, one unit of connected customers at a time. Stops
  /// when `body` returns false.
  ///
  /// - Parameters:
  ///   - environments: The environments, each answered separately.
  ///   - clocks: Which events are known; without `at`, each customer is judged at `now` or at the
  ///     newest event, whichever is later.
  ///   - account: Only the customer with this account; `nil` for all.
  ///   - now: The moment for answers without `at`.
  ///   - includesSales: Whether to look up the sales of transactions.
  ///   - postings: Which postings to look up, as ``LedgerView/postings(_:environments:_:)`` does at
  ///     the same clocks; none if it is `nil`.
  ///   - body: Receives each unit.
  /// - Complexity: O(*n* log *n*) in the events of one unit at a time; if the clocks ask about the
  ///   past, also as `versionsOnOffer(of:in:clocks:)` for the installed products.
  /// - Throws: ``LedgerError``, and what `body` throws.
  public func contents(
    environments: [StoreEnvironment], clocks: Clocks = .now, account: Name? = nil, now: Instant,
    includesSales: Bool = false, postings: EventsQuery? = nil,
    _ body: (UnitContents) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    var question = ContentsQuestion(
      environments: environments, clocks: clocks, now: now,
      context: try context(at: clocks), includesSales: includesSales)
    if let postings { question.postings = try PostingFilter(postings, environments, self) }
    if let account {
      guard let number = try number(of: .account, account),
        let unit = try foldedUnitNumber(of: number)
      else { return }
      question.account = number
      let facts = try facts(of: unit, question)
      if let state = clocks.reachAll ? try state(of: unit) : try fold(facts, question) {
        _ = try body(try contents(of: state, facts, &question))
      }
      return
    }
    guard clocks.reachAll else {
      return try eachFormerUnit(at: clocks, question.context) { (facts) throws(LedgerError) in
        guard let state = try fold(facts, question) else { return true }
        return try body(try contents(of: state, facts, &question))
      }
    }
    var walk = try units()
    while try walk.advance() {
      guard let state = try walk.state() else { continue }
      let facts = try facts(of: walk.unit, question)
      if try !body(try contents(of: state, facts, &question)) { return }
    }
  }

  /// The facts of a unit at the clocks, if the question needs them.
  private func facts(
    of unit: UInt32, _ question: ContentsQuestion
  ) throws(LedgerError) -> [Fact] {
    let isNeeded =
      !question.clocks.reachAll || question.includesSales || question.postings != nil
    return isNeeded ? try facts(of: unit, at: question.clocks) : []
  }

  /// A unit as its facts at the clocks make it; `nil` if there are none.
  private func fold(_ facts: [Fact], _ question: ContentsQuestion) throws(LedgerError) -> Unit? {
    if facts.isEmpty { return nil }
    let state = UnitSet.fold(connected: facts, context: question.context, texts: texts)
    try texts.check()
    return state
  }

  private func contents(
    of unit: Unit, _ facts: [Fact], _ question: inout ContentsQuestion
  ) throws(LedgerError) -> UnitContents {
    let unit = question.account == nil ? unit.indexedByHolder() : unit
    var contents = UnitContents(
      customers: [], transactions: [], sales: [], postings: [], eventCount: unit.factCount)
    let sales = try addPostings(of: facts, question, to: &contents)
    for environment in question.environments {
      let set = EnvironmentSet(environment)
      var seen: Set<NameNumber> = []
      for account in unit.knownAccounts where !seen.contains(account) {
        let linked = unit.linkedAccounts(of: account, environments: set)
        seen.formUnion(linked)
        if let asked = question.account, !linked.contains(asked) { continue }
        let customer = try customer(linked, in: unit, environment, &question)
        if let customer { contents.customers.append(customer) }
      }
      let standings =
        question.account.map { unit.standings(of: .account($0), environments: set) }
        ?? unit.standings.filter { $0.environment == environment }
      for standing in standings {
        contents.transactions.append(try entry(standing))
        contents.sales.append(
          sales[SoldTransaction(transaction: standing.number, environment: environment)])
      }
    }
    try texts.check()
    return contents
  }

  /// Adds the postings that are asked for, and returns the sales by their transactions. Both are
  /// made of the same facts, and a sale that is both is read once.
  private func addPostings(
    of facts: [Fact], _ question: ContentsQuestion, to contents: inout UnitContents
  ) throws(LedgerError) -> [SoldTransaction<NameNumber>: PostingAnswer] {
    guard question.includesSales || question.postings != nil else { return [:] }
    var sales: [SoldTransaction<NameNumber>: PostingAnswer] = [:]
    for posting in Unit.postings(of: facts, texts: texts) {
      let isWanted = try question.postings?.admits(posting, self) ?? false
      let isSale =
        question.includesSales && posting.kind == .sale
        && question.environments.contains(posting.environment)
      guard isWanted || isSale else { continue }
      let answer = try answer(posting)
      if isWanted { contents.postings.append(answer) }
      if isSale {
        sales[.init(transaction: posting.transaction, environment: posting.environment)] = answer
      }
    }
    return sales
  }

  /// A customer; `nil` if the environment has nothing about the accounts.
  private func customer(
    _ accounts: [NameNumber], in unit: Unit, _ environment: StoreEnvironment,
    _ question: inout ContentsQuestion
  ) throws(LedgerError) -> UnitContents.Customer? {
    let set = EnvironmentSet(environment)
    let subject = Subject.account(accounts[0])
    let newest = unit.newestEvent(of: subject, environments: set)
    let moment = question.clocks.at?.microseconds ?? max(question.now.microseconds, newest ?? .min)
    let answer = unit.answer(
      subject, environments: set, at: moment, context: question.context, texts: texts)
    let held = unit.installed(subject, environments: set)
    guard newest != nil || !answer.entries.isEmpty || !answer.balances.isEmpty || !held.isEmpty
    else { return nil }
    var customer = UnitContents.Customer(
      environment: environment, accounts: [], entries: [], active: Set(answer.active),
      balances: answer.balances.map { .init(unit: $0.unit, amount: $0.amount) }, installed: [])
    for account in accounts { customer.accounts.append(try text(of: account)) }
    customer.entries = try entries(answer)
    try question.offers.find(held, in: self, question.clocks)
    for content in held {
      let version = try question.offers.version(of: content, in: self, question.clocks)
      customer.installed.append(try self.answer(content, version))
    }
    return customer
  }
}

/// The question asked of each unit, and what is found once for all units.
private struct ContentsQuestion {
  let environments: [StoreEnvironment]
  let clocks: Clocks
  var account: NameNumber?
  let now: Instant
  let context: SharedContext
  let includesSales: Bool
  var postings: PostingFilter?
  var offers = Offers()
}
