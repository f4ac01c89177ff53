public import LedgerEvents
internal import LedgerModel

extension Explanation {
  /// Finds what decides an answer.
  ///
  /// - Parameters:
  ///   - name: The product or entitlement.
  ///   - account: The customer's account.
  ///   - environments: Where it counts.
  ///   - events: All that can decide it, in any order: the customer's, what is connected with them,
  ///     and catalogues. Those after the position asked for are left out already.
  ///   - at: The store time that only what occurred up to it counts for; `nil` for everything.
  ///   - now: The moment to judge at where `at` says none and no event of the customer is newer.
  ///   - position: The position that the events are known up to.
  /// - Complexity: O(*k* log *n*) folds of the events that can decide, for *k* steps.
  public init(
    of name: Name, for account: Name, in events: [RecordedEvent],
    environments: [StoreEnvironment] = [.production], at: Instant? = nil, now: Instant,
    position: UInt64
  ) {
    let history = ExplainedHistory(events, about: account, at: at)
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

/// The search for what decides one answer.
private struct ExplanationSearch {
  typealias Holding = Explanation.Holding

  /// What decides, and how its parts are judged.
  struct Found {
    var ground: Explanation.Ground
    var places: [Int] = []
    /// Where the steps are judged by another question than the one asked.
    var question: ExplainedHistory.Question
  }

  private let history: ExplainedHistory
  let question: ExplainedHistory.Question
  /// What everything comes to, and whether the customer may have it.
  let holdings: [Holding]
  let isHeld: Bool
  /// What is left of it, where it is a unit that purchases credit.
  private let balance: Int64?
  private let all: Range<Int>
  private let deciding: [Int]

  init(
    _ history: ExplainedHistory, _ asked: ExplainedHistory.Question, isMomentFixed: Bool
  ) {
    self.history = history
    all = history.facts.indices
    let book = InMemoryLedger(folding: history.facts, texts: history.texts)
    let subject = Subject.account(asked.account)
    var question = asked
    if !isMomentFixed {
      // What a phone some minutes fast has bought can be asked for at once.
      let newest = book.unit(of: asked.account)?
        .newestEvent(of: subject, environments: asked.environments)
      question.moment = max(asked.moment, newest ?? .min)
    }
    let answer = book.answer(
      subject, environments: question.environments, at: question.moment)
    let holdings = history.holdings(answer, question.name)
    self.question = question
    self.holdings = holdings
    isHeld = answer.active.contains(question.name)
    // An answer leaves out what is used up.
    let isUsed = history.facts.contains { $0.detail?.fields.unit == question.name }
    balance =
      answer.balances.first { $0.unit == question.name }?.amount ?? (isUsed ? 0 : nil)
    // Downloads and installs decide nothing here, so that they need not be tried one by one; where
    // they do all the same (an account that only they state), everything is tried.
    let usual = history.deciding
    deciding = history.holdings(of: usual, question) == holdings ? usual : Array(all)
  }

  func found() -> Found {
    guard question.account != 0 else { return Found(ground: .unknownAccount, question: question) }
    if !holdings.isEmpty {
      return Found(ground: .listed, places: smallest(question, holdings), question: question)
    }
    let isStated = history.facts.contains { $0.account == question.account }
    if let balance { return Found(ground: .balance(balance), question: question) }
    return takenAway(by: canTakeAway, .takenAway) ?? over() ?? elsewhere()
      // But for the catalogue it would be a non-consumable.
      ?? takenAway(by: { $0.kind == .catalogSet }, .consumable) ?? attempted()
      ?? Found(ground: isStated ? .nothing : .unknownAccount, question: question)
  }

  /// The steps with what they come to.
  func steps(_ found: Found) -> [Explanation.Step] {
    var steps: [Explanation.Step] = []
    var before: [Holding] = []
    for (count, place) in found.places.enumerated() {
      let after = history.holdings(of: found.places[...count], found.question)
      steps.append(
        Explanation.Step(
          event: history.events[place], text: history.events[place].event.plainWords,
          before: before, after: after,
          without: history.holdings(of: all.filter { $0 != place }, question)))
      before = after
    }
    return steps
  }

  private func smallest(_ question: ExplainedHistory.Question, _ wanted: [Holding]) -> [Int] {
    var places = deciding
    if history.holdings(of: places, question) != wanted { places = Array(all) }
    return ExplainedHistory.smallest(of: places) { history.holdings(of: $0, question) == wanted }
  }

  /// What took it away: the events without which it would be listed, and what it rested on.
  private func takenAway(
    by canTakeAway: (Fact) -> Bool, _ ground: Explanation.Ground
  ) -> Found? {
    let takers = all.filter { canTakeAway(history.facts[$0]) }
    let without = { (taken: [Int]) in
      let gone = Set(taken)
      return history.holdings(of: all.filter { !gone.contains($0) }, question)
    }
    guard !takers.isEmpty, !without(takers).isEmpty else { return nil }
    let taken = ExplainedHistory.smallest(of: takers) { !without($0).isEmpty }
    let gone = Set(taken)
    let wanted = without(taken)
    var base = deciding.filter { !gone.contains($0) }
    if history.holdings(of: base, question) != wanted { base = all.filter { !gone.contains($0) } }
    // With the takers beside it must be gone, too: another's first event decides only where it is
    // of a transaction that stays.
    let had = kinds(wanted)
    let smallestBase = { (places: [Int], takers: [Int]) in
      ExplainedHistory.smallest(of: places) { part in
        kinds(history.holdings(of: part, question)) == had
          && history.holdings(of: (part + takers).sorted(), question).isEmpty
      }
    }
    // Each of many may take it away alone: one of them is enough to say why.
    let many = smallestBase(base, taken)
    let needed = ExplainedHistory.smallest(of: taken) { part in
      history.holdings(of: (many + part).sorted(), question).isEmpty
    }
    let places = smallestBase(many, needed)
    return Found(ground: ground, places: (places + needed).sorted(), question: question)
  }

  /// What holdings come to, whenever they began.
  private func kinds(_ holdings: [Holding]) -> Set<HeldKind> {
    Set(holdings.map { HeldKind(product: $0.product, item: $0.entitlement, state: $0.state) })
  }

  private struct HeldKind: Hashable {
    var product: Name?
    var item: Name?
    var state: EntitlementState
  }

  private func canTakeAway(_ fact: Fact) -> Bool {
    switch fact.kind {
    case .accountTransferred, .accountErased, .entitlementWithdrawn: return true
    default: break
    }
    // A transaction belongs to the first account that an event of it states.
    guard fact.transaction != 0 || fact.payment != 0, fact.account != 0 else { return false }
    return fact.account != question.account
  }

  /// An operator's grant that has ended.
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
        ground: .over(Instant(microseconds: end)), places: smallest(then, had), question: then)
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
        ground: .elsewhere(environment), places: smallest(there, has), question: there)
    }
    return nil
  }

  /// The last attempt to buy it: the payment and what became of it.
  private func attempted() -> Found? {
    let book = InMemoryLedger(folding: history.facts, texts: history.texts)
    let products = history.products(for: question, book)
    let own = history.places(ofCustomer: question.account, book)
    let tries = all.filter { place in
      switch history.facts[place].kind {
      case .paymentAdded, .transactionPurchasing, .transactionDeferred, .transactionFailed:
        return products.contains(history.facts[place].product) && own.contains(place)
      default: return false
      }
    }
    guard let last = tries.last else { return nil }
    let fact = history.facts[last]
    let places = all.filter { place in
      let other = history.facts[place]
      switch other.kind {
      case .paymentAdded, .transactionPurchasing, .transactionDeferred, .transactionFailed:
        return place == last || (fact.transaction != 0 && other.transaction == fact.transaction)
          || (fact.payment != 0 && other.payment == fact.payment)
      default: return false
      }
    }
    return Found(ground: .attempted, places: places, question: question)
  }
}
