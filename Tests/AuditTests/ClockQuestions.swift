import Audit
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries

/// The questions to ask about a history, on two clocks.
struct ClockQuestions {
  /// The accounts to ask about. One of them is unknown to every ledger.
  var accounts: [Name]
  var transactions: [Name]
  var originals: [Name]
  var products: [Name]
  /// The products, and the entitlements that catalogues and operators name.
  var items: [Name]
  var environments: [StoreEnvironment]
  /// The holdings to explain. There are few, because explanations fold a history many times.
  var explained: [(account: Name, item: Name)]
  /// The time at which answers are judged by default.
  var now: Instant
  /// The half-open time range of the filtered findings.
  var span: (since: Instant, until: Instant)
  var rules: Set<Rule>

  init(about events: [RecordedEvent], explaining count: Int, _ random: inout SeededRandom) {
    let all = events.map(\.event)
    accounts = Set(all.compactMap(\.account)).sorted() + ["nobody"]
    transactions = Set(all.compactMap(\.transaction)).sorted() + ["none"]
    originals = Set(all.compactMap(\.originalTransaction)).sorted()
    products = Set(all.compactMap(\.product)).sorted()
    var names = Set(products)
    for event in all {
      if let name = event.data.string("entitlement") { names.insert(Name(name)) }
      for entry in Self.products(of: event) {
        for name in entry["entitlements"]?.array ?? [] {
          if let text = name.string { names.insert(Name(text)) }
        }
      }
    }
    items = names.sorted()
    environments = Set(all.compactMap(\.environment) + [.production]).sorted()
    explained = []
    if !items.isEmpty {
      for _ in 0..<count {
        explained.append((random.one(of: accounts), random.one(of: items)))
      }
    }
    let times = all.map(\.occurredAt).sorted()
    now = times.last ?? Instant(microseconds: 0)
    span = (
      times.isEmpty ? now : times[times.count / 4], times.isEmpty ? now : times[times.count * 3 / 4]
    )
    rules = Set(random.shuffled(Rule.allCases).prefix(Rule.allCases.count / 2))
  }

  private static func products(of event: Event) -> [JSONValue] {
    event.type.kind == .catalogSet ? event.data.array("products") ?? [] : []
  }
}

/// A ledger's answers to every question: lines with every field of every answer. They are sorted,
/// because the order of customers is not specified.
struct ClockAnswers: Equatable {
  private(set) var lines: [String] = []

  /// Returns the lines that only one of the two has.
  func differences(from expected: ClockAnswers) -> [String] {
    var counts: [String: Int] = [:]
    for line in lines { counts[line, default: 0] += 1 }
    for line in expected.lines { counts[line, default: 0] -= 1 }
    return counts.filter { $0.value != 0 }.sorted { $0.key < $1.key }
      .map { "\($0.value > 0 ? "+" : "-") \($0.key)" }
  }

  fileprivate mutating func add(_ line: String) { lines.append(line) }
}

/// How to ask the questions: the clocks, and replacements in the answers.
struct ClockTerms {
  var clocks = Clocks.now
  /// The current time, for ledgers that are asked without a store time.
  var now: Instant
  /// The clocks for rules that hold at a moment. A shorter ledger has to be given that moment.
  var findingsClocks: Clocks?
  /// Selects the environment to ask about alone and the holding to explain. These take turns,
  /// because asking everything each time finds nothing more. Answers that are compared use the same
  /// turn.
  var turn = 0
  /// Returns the position in the whole ledger of an event in this one.
  var position: (UInt64) -> UInt64 = { $0 }
  var end: UInt64?
}

extension ClockAnswers {
  init(_ ledger: Ledger, _ questions: ClockQuestions, _ terms: ClockTerms) throws {
    self = try ledger.read { (view) throws(LedgerError) in
      var answers = ClockAnswers()
      try answers.askCustomers(view, questions, terms, nil)
      // Answers about all environments name theirs. Asking about one alone shows that it is
      // separate.
      if terms.turn.isMultiple(of: 2) {
        let index = terms.turn / 2 % questions.environments.count
        try answers.askCustomers(view, questions, terms, questions.environments[index])
      }
      try answers.askFindings(view, questions, terms)
      try answers.askExplanations(view, questions, terms)
      try answers.askContent(view, questions, terms)
      answers.lines.sort()
      return answers
    }
  }

  /// Asks what each customer has, in one environment or in all of them.
  private mutating func askCustomers(
    _ view: LedgerView, _ questions: ClockQuestions, _ terms: ClockTerms,
    _ only: StoreEnvironment?
  ) throws(LedgerError) {
    let environments = only.map { [$0] } ?? StoreEnvironment.allCases
    let whom =
      questions.accounts.map { CustomerReference.account($0) }
      + questions.transactions.map { .transaction($0) }
      + questions.originals.map { .original($0) }
    for customer in whom {
      let about = "\(customer) in \(only?.text ?? "all")"
      let answer = try view.entitlements(
        of: customer, environments: environments, clocks: terms.clocks, now: terms.now)
      let end = terms.end ?? answer.position
      add("\(about) known \(answer.isKnown) at \(answer.at) position \(end)")
      add("\(about) may use \(answer.active) until \(answer.nextChangeAt as Any)")
      for entry in answer.entries { add("\(about) has \(entry)") }
      for balance in answer.balances { add("\(about) \(balance)") }
      for content in try view.installed(
        of: customer, environments: environments, clocks: terms.clocks)
      {
        add("\(about) installed \(content)")
      }
      let queue = try view.transactions(
        of: customer, environments: environments, clocks: terms.clocks)
      add("\(about) transactions known \(queue.isKnown)")
      for entry in queue.entries { add("\(about) open \(entry.isOnQueue) \(entry)") }
    }
    for item in questions.items {
      try view.holders(
        of: item, environments: environments, clocks: terms.clocks, now: terms.now
      ) { (holder) throws(LedgerError) in
        self.add("\(only?.text ?? "all") \(item) is held: \(holder)")
        return true
      }
    }
  }

  /// Asks for all findings, for filtered ones, and for their number.
  private mutating func askFindings(
    _ view: LedgerView, _ questions: ClockQuestions, _ terms: ClockTerms
  ) throws(LedgerError) {
    var queries: [(String, FindingsQuery)] = [("all", FindingsQuery())]
    for account in questions.accounts {
      var query = FindingsQuery()
      query.account = account
      queries.append(("\(account)", query))
    }
    var filtered = FindingsQuery()
    filtered.environments = [.production]
    filtered.rules = questions.rules
    filtered.severities = [.warning, .error, .critical]
    (filtered.since, filtered.until) = questions.span
    queries.append(("filtered", filtered))
    var impatient = FindingsQuery()
    impatient.thresholds.neverFinished = Instant.second
    impatient.thresholds.paymentUnanswered = Instant.second
    queries.append(("impatient", impatient))
    for (name, query) in queries {
      var query = query
      query.clocks = terms.findingsClocks ?? terms.clocks
      var counts: [Rule: Int] = [:]
      for var finding in try view.findings(query) {
        finding.position = terms.position(finding.position)
        counts[finding.rule, default: 0] += 1
        add("findings \(name): \(finding)")
      }
      for (rule, count) in counts { add("findings \(name) \(rule) \(count) times") }
    }
  }

  private mutating func askExplanations(
    _ view: LedgerView, _ questions: ClockQuestions, _ terms: ClockTerms
  ) throws(LedgerError) {
    if !questions.explained.isEmpty {
      let (account, item) = questions.explained[terms.turn % questions.explained.count]
      let reported = try view.explain(
        item, for: account, environments: questions.environments, clocks: terms.clocks,
        now: terms.now)
      let about = "explain \(account) \(item)"
      add("\(about): \(reported.isHeld) \(reported.ground) \(reported.holdings) at \(reported.at)")
      for (count, step) in reported.steps.enumerated() {
        add(
          "\(about) \(count): \(terms.position(step.event.position)) \(step.text) "
            + "\(step.before) \(step.after) \(step.without)")
      }
    }
  }

  /// Asks which content is on offer, and which devices have an older version.
  private mutating func askContent(
    _ view: LedgerView, _ questions: ClockQuestions, _ terms: ClockTerms
  ) throws(LedgerError) {
    for environment in questions.environments {
      try view.outdated(environments: [environment], clocks: terms.clocks) { account, content in
        self.add("\(account) is behind: \(content)")
        return true
      }
      let offers = try view.versionsOnOffer(
        of: questions.products, in: environment, clocks: terms.clocks)
      for (product, version) in offers { add("\(environment) offers \(product) \(version)") }
      for var entry in try view.catalogue(
        in: environment, clocks: terms.clocks, now: terms.now)
      {
        entry.position = terms.position(entry.position)
        add("\(environment) catalogue \(entry)")
      }
    }
    let updates = ContentUpdatesQuery(
      environments: StoreEnvironment.allCases, clocks: terms.clocks, now: terms.now)
    var reported: [String] = []
    try view.contentUpdates(updates) { counts in
      for count in counts { reported.append("updates \(count)") }
    } _: { update in
      reported.append("update \(update)")
      return true
    }
    for line in reported { add(line) }
  }

  /// Returns the differences between two positions, as lines.
  static func differences(
    _ ledger: Ledger, from: Clocks.LedgerTime, to: Clocks.LedgerTime, account: Name? = nil,
    at: Instant? = nil
  ) throws -> ClockAnswers {
    try differences(
      ledger, from: Clocks(at: at, asOf: from), to: Clocks(at: at, asOf: to), account: account)
  }

  /// Returns the differences between two settings of the clocks, as lines.
  static func differences(
    _ ledger: Ledger, from: Clocks, to: Clocks, account: Name? = nil
  ) throws -> ClockAnswers {
    try ledger.read { (view) throws(LedgerError) in
      var answers = ClockAnswers()
      try view.differences(
        from: from, to: to, account: account, environments: StoreEnvironment.allCases
      ) { (found) throws(LedgerError) in
        answers.add("\(found)")
        return true
      }
      answers.lines.sort()
      return answers
    }
  }
}
