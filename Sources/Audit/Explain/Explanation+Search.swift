public import LedgerEvents
internal import LedgerModel

extension Explanation {
  /// Finds the events that decide an answer.
  ///
  /// - Parameters:
  ///   - name: The product or entitlement.
  ///   - account: The customer's account.
  ///   - environments: The environments that count.
  ///   - events: All events that can decide it, in any order: the customer's, those connected with
  ///     them, and catalogues. The caller has left out those after the position of the question.
  ///   - at: The store time of the question; only events that occurred up to it count. `nil` for
  ///     all events.
  ///   - now: The store time to use if `at` is `nil` and no event of the customer is later.
  ///   - position: The position up to which the events are known.
  /// - Complexity: O(*n* log *n*) in the number of events, and O(*k* log *m*) folds of the *m*
  ///   events that can decide, for *k* steps.
  public init(
    of name: Name, for account: Name, in events: [RecordedEvent],
    environments: [StoreEnvironment] = [.production], at: Instant? = nil, now: Instant,
    position: UInt64
  ) {
    self.init(
      of: name, for: account,
      in: ExplainedHistory(events, about: name, for: account, at: at, now: now),
      environments: environments, at: at, now: now, position: position)
  }

  init(
    of name: Name, for account: Name, in history: ExplainedHistory,
    environments: [StoreEnvironment], at: Instant?, now: Instant, position: UInt64
  ) {
    let set = EnvironmentSet(environments)
    let search = ExplanationSearch(
      history,
      .init(
        account: history.texts.number(.account, account), name: name, environments: set,
        moment: (at ?? now).microseconds), isMomentFixed: at != nil)
    let found = search.found()
    self.init(
      account: account, name: name, at: Instant(microseconds: search.question.moment),
      position: position, environments: environments,
      isHeld: search.isHeld, holdings: search.holdings,
      ground: found.ground, steps: search.steps(found))
  }
}

/// The search for the events that decide one answer.
private struct ExplanationSearch {
  typealias Holding = Explanation.Holding

  /// The deciding events, and the question by which subsets are judged.
  struct Found {
    var ground: Explanation.Ground
    var indices: [Int] = []
    /// The question for the steps, if it differs from the original one.
    var question: ExplainedHistory.Question
  }

  private let history: ExplainedHistory
  let question: ExplainedHistory.Question
  /// The holdings by all events, and whether the customer has access.
  let holdings: [Holding]
  let isHeld: Bool
  /// The remaining balance, if the name is a unit that purchases credit.
  private let balance: Int64?
  private let all: Range<Int>
  /// Those of the usual kinds if these decide the answer, with their places in the timeline.
  private let deciding: [Int]

  init(
    _ history: ExplainedHistory, _ asked: ExplainedHistory.Question, isMomentFixed: Bool
  ) {
    self.history = history
    all = history.facts.indices
    let ledger = InMemoryLedger(folding: history.facts, texts: history.texts)
    let subject = Subject.account(asked.account)
    var question = asked
    if !isMomentFixed {
      // A phone's clock can be some minutes fast. Its purchases must still be found immediately.
      let newest = ledger.unit(of: asked.account)?
        .newestEvent(of: subject, environments: asked.environments)
      question.moment = max(asked.moment, newest ?? .min)
    }
    let answer = ledger.answer(
      subject, environments: question.environments, at: question.moment)
    let holdings = history.holdings(answer, question.name)
    self.question = question
    self.holdings = holdings
    isHeld = answer.active.contains(question.name)
    // An answer omits a balance that is used up.
    let isUsed = history.facts.contains { $0.detail?.fields.unit == question.name }
    balance =
      answer.balances.first { $0.unit == question.name }?.amount ?? (isUsed ? 0 : nil)
    // Downloads and installs usually decide nothing, so they need not be tried one by one. If they
    // do matter here (for example because only they state the account), every event is tried.
    let usual = history.timeline.indices(\.isUsual)
    let isUsual = history.holdings(of: Self.inside(usual), question) == holdings
    deciding = isUsual ? usual : history.timeline.indices()
  }

  func found() -> Found {
    guard question.account != 0 else { return Found(ground: .unknownAccount, question: question) }
    if !holdings.isEmpty {
      return Found(ground: .listed, indices: smallest(question, holdings), question: question)
    }
    let isStated = history.facts.contains { $0.account == question.account }
    if let balance { return Found(ground: .balance(balance), question: question) }
    // Every event of the catalogue is tried.
    let catalogue = all.filter { history.facts[$0].kind == .catalogSet }
    return takenAway(by: history.timeline.indices(\.canTakeAway), .takenAway) ?? over()
      ?? elsewhere()
      // Without the catalogue, it would be a non-consumable.
      ?? takenAway(by: catalogue, .consumable) ?? attempted()
      ?? Found(ground: isStated ? .nothing : .unknownAccount, question: question)
  }

  /// Returns the steps with the holdings that follow from each.
  func steps(_ found: Found) -> [Explanation.Step] {
    var steps: [Explanation.Step] = []
    var before: [Holding] = []
    for (count, index) in found.indices.enumerated() {
      let after = history.holdings(of: found.indices[...count], found.question)
      steps.append(
        Explanation.Step(
          event: history.events[index], text: history.events[index].event.plainWords,
          before: before, after: after,
          without: history.holdings(of: all.filter { $0 != index }, question)))
      before = after
    }
    return steps
  }

  /// Those of the indexes that are not outside.
  private static func inside(_ indices: [Int]) -> [Int] {
    indices.filter { $0 != ExplainedTimeline.outside }
  }

  private func smallest(_ question: ExplainedHistory.Question, _ wanted: [Holding]) -> [Int] {
    var indices = deciding
    if history.holdings(of: Self.inside(indices), question) != wanted {
      indices = history.timeline.indices()
    }
    return ExplainedHistory.smallest(of: indices) { history.holdings(of: $0, question) == wanted }
  }

  /// Finds the events without which it would be listed, and the events on which it was based.
  private func takenAway(by takers: [Int], _ ground: Explanation.Ground) -> Found? {
    let without = { (taken: [Int]) in
      let removed = Set(taken)
      return history.holdings(of: all.filter { !removed.contains($0) }, question)
    }
    guard !takers.isEmpty, !without(takers).isEmpty else { return nil }
    let taken = ExplainedHistory.smallest(of: takers) { !without($0).isEmpty }
    let removed = Set(taken)
    let wanted = without(taken)
    var base = deciding.filter { !removed.contains($0) }
    if history.holdings(of: Self.inside(base), question) != wanted {
      base = history.timeline.indices().filter { !removed.contains($0) }
    }
    // It must also not be held when all the events that took it away are added: another account's
    // first event decides only if it is about a transaction that stays.
    let had = kinds(wanted)
    let smallestBase = { (indices: [Int], takers: [Int]) in
      ExplainedHistory.smallest(of: indices) { part in
        kinds(history.holdings(of: part, question)) == had
          && history.holdings(of: (part + takers).sorted(), question).isEmpty
      }
    }
    // Each of several events may take it away alone. One of them is enough as a reason.
    let many = smallestBase(base, taken)
    let needed = ExplainedHistory.smallest(of: taken) { part in
      history.holdings(of: (many + part).sorted(), question).isEmpty
    }
    let indices = smallestBase(many, needed)
    return Found(ground: ground, indices: (indices + needed).sorted(), question: question)
  }

  /// Returns the kinds of holdings, regardless of when they began.
  private func kinds(_ holdings: [Holding]) -> Set<HeldKind> {
    Set(holdings.map { HeldKind(product: $0.product, item: $0.entitlement, state: $0.state) })
  }

  private struct HeldKind: Hashable {
    var product: Name?
    var item: Name?
    var state: EntitlementState
  }

  /// Finds an operator's grant that has ended.
  private func over() -> Found? {
    let ends = history.facts.compactMap { fact -> Int64? in
      guard fact.kind == .entitlementGranted, let until = fact.detail?.fields.until else {
        return nil
      }
      return until != Fact.absentTime && until <= question.moment ? until : nil
    }
    for end in Set(ends).sorted(by: >) {
      var then = question
      then.moment = end - 1
      let had = history.holdings(of: all, then)
      guard !had.isEmpty else { continue }
      return Found(
        ground: .over(Instant(microseconds: end)), indices: smallest(then, had), question: then)
    }
    return nil
  }

  private func elsewhere() -> Found? {
    for environment in StoreEnvironment.allCases
    where !question.environments.contains(environment) {
      var there = question
      there.environments = EnvironmentSet(environment)
      let has = history.holdings(of: all, there)
      guard !has.isEmpty else { continue }
      return Found(
        ground: .elsewhere(environment), indices: smallest(there, has), question: there)
    }
    return nil
  }

  /// Finds the last attempt to buy it: the payment and its outcome.
  private func attempted() -> Found? {
    let ledger = InMemoryLedger(folding: history.facts, texts: history.texts)
    let products = history.products(for: question, ledger)
    let own = history.indices(ofCustomer: question.account, ledger)
    let tries = all.filter { index in
      switch history.facts[index].kind {
      case .paymentAdded, .transactionPurchasing, .transactionDeferred, .transactionFailed:
        return products.contains(history.facts[index].product) && own.contains(index)
      default: return false
      }
    }
    guard let last = tries.last else { return nil }
    let fact = history.facts[last]
    let indices = all.filter { index in
      let other = history.facts[index]
      switch other.kind {
      case .paymentAdded, .transactionPurchasing, .transactionDeferred, .transactionFailed:
        return index == last || (fact.transaction != 0 && other.transaction == fact.transaction)
          || (fact.payment != 0 && other.payment == fact.payment)
      default: return false
      }
    }
    return Found(ground: .attempted, indices: indices, question: question)
  }
}
