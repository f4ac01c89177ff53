internal import LedgerEvents
internal import LedgerModel

/// The events that can decide an answer, in the fold order, and the answers that subsets of them
/// give.
///
/// A subset is a set of indexes. It is folded by the same reducer as everything else.
struct ExplainedHistory {
  /// The question to answer for a subset.
  struct Question {
    var account: NameNumber
    var name: Name
    var environments: EnvironmentSet
    /// The store time of the question, in microseconds.
    var moment: Int64
  }

  let events: [RecordedEvent]
  let texts: NumberedEvents
  /// Everything that happened: the events above, and those on which no answer depends.
  let timeline: ExplainedTimeline

  /// - Parameter all: All of them decide the answers.
  /// - Complexity: O(*n* log *n*) in the number of events.
  init(_ all: [RecordedEvent]) {
    events = Self.sorted(all, at: nil)
    texts = NumberedEvents(events)
    timeline = ExplainedTimeline(texts.facts, about: nil, texts)
  }

  /// - Parameters:
  ///   - all: The events that can decide the answer, and possibly others.
  ///   - name: What is asked for. Only events on which it can depend are tried.
  ///   - account: Only events connected with the account count, and those shared by all. Later
  ///     events may have connected others.
  ///   - at: If this is not `nil`, only events that occurred up to it count.
  ///   - now: The store time of the question if `at` is `nil` and no event is later.
  ///   - triesAll: Whether all events are tried, also those that can decide nothing.
  /// - Complexity: O(*n* log *n*) in the number of events.
  init(
    _ all: [RecordedEvent], about name: Name, for account: Name, at: Instant?, now: Instant,
    triesAll: Bool = false
  ) {
    let sorted = Self.sorted(all, at: at)
    let numbered = NumberedEvents(sorted)
    timeline = ExplainedTimeline(
      numbered.facts,
      about: .init(
        account: numbered.number(.account, account), name: name,
        product: numbered.number(.product, name), now: at ?? now, triesAll: triesAll),
      numbered)
    let tried = timeline.triedPositions
    events = sorted.filter { tried.contains($0.position) }
    texts = NumberedEvents(events)
  }

  /// - Parameters:
  ///   - timeline: Everything that happened.
  ///   - events: Those that are tried, in any order.
  init(_ timeline: ExplainedTimeline, _ events: [RecordedEvent]) {
    self.timeline = timeline
    self.events = Self.sorted(events, at: nil)
    texts = NumberedEvents(self.events)
  }

  /// The events up to a store time, in the fold order.
  private static func sorted(_ events: [RecordedEvent], at: Instant?) -> [RecordedEvent] {
    let keyed = events.map { (key: EventFoldKey($0), event: $0) }
    return keyed.filter { $0.key.time <= at ?? $0.key.time }
      .sorted { $0.key < $1.key }.map(\.event)
  }

  var facts: [Fact] { texts.facts }

  /// Returns the customer's holdings of the name, as they follow from the events at `indices`.
  ///
  /// - Complexity: O(*n* log *n*) in the number of indexes.
  func holdings(of indices: some Sequence<Int>, _ question: Question) -> [Explanation.Holding] {
    let folded = InMemoryLedger(folding: indices.map { facts[$0] }, texts: texts)
    return holdings(
      folded.answer(
        .account(question.account), environments: question.environments, at: question.moment),
      question.name)
  }

  /// Returns the indexes of a customer's events, and of those without an account that come from a
  /// session, or else a device, on which no other account was seen.
  ///
  /// - Parameter folded: An in-memory ledger with all events folded.
  /// - Complexity: O(*n* log *n*) in the number of events.
  func indices(ofCustomer account: NameNumber, _ folded: InMemoryLedger) -> Set<Int> {
    let positions = Unit.positions(
      ofCustomer: account, among: facts, context: folded.context, texts: texts)
    let everywhere = EnvironmentSet(StoreEnvironment.allCases)
    let linked = Set(
      folded.unit(of: account)?.linkedAccounts(of: account, environments: everywhere) ?? [account])
    var seen: [NameNumber: Set<NameNumber>] = [:]
    var stated: Set<NameNumber> = []
    for fact in facts where fact.account != 0 {
      stated.insert(fact.transaction)
      for number in [fact.session, fact.device] where number != 0 {
        seen[number, default: []].insert(fact.account)
      }
    }
    return Set(
      facts.indices.filter { index in
        let fact = facts[index]
        if positions.contains(fact.position) { return true }
        guard fact.account == 0, !(fact.transaction != 0 && stated.contains(fact.transaction))
        else { return false }
        let there = seen[fact.session] ?? seen[fact.device] ?? []
        return !there.isEmpty && there.isSubset(of: linked)
      })
  }

  /// Returns the products that a name refers to: the one with that name, and those that open the
  /// entitlement with that name by the catalogue in force.
  ///
  /// - Parameter folded: An in-memory ledger with all events folded.
  func products(for question: Question, _ folded: InMemoryLedger) -> Set<NameNumber> {
    let catalogue = folded.context.catalogue
    return Set(
      catalogue.products.filter { product in
        question.environments.members.contains { environment in
          let found = catalogue.entryInForce(
            of: product, in: environment, app: 0, at: question.moment)
          return found?.definition.entitlements.contains(question.name) ?? false
        }
      } + [texts.number(.product, question.name)]
    ).subtracting([0])
  }

  /// Returns the entries of an answer that are about a name, with names in place of numbers.
  func holdings(_ answer: Answer, _ name: Name) -> [Explanation.Holding] {
    answer.entries.compactMap { entry in
      let product = texts.name(entry.product)
      guard product == name || entry.entitlement == name || entry.entitlements.contains(name)
      else { return nil }
      return Explanation.Holding(
        product: product, entitlement: entry.entitlement, state: entry.state,
        since: Instant(microseconds: entry.since),
        expiresAt: entry.expiresAt.map { Instant(microseconds: $0) },
        original: texts.name(entry.original), isFromOperator: entry.source == .operator,
        environment: entry.environment)
    }
  }

  /// Returns a minimal subset of `indices` that still has a property: none of its elements can be
  /// left out. Among equal candidates, earlier events in the fold order are kept.
  ///
  /// Indexes that are `outside` are left out without a test, but they count when the rest is cut
  /// into pieces. So what is found does not depend on which events are known to decide nothing.
  ///
  /// Source: Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, 2002.
  ///
  /// - Precondition: `indices` has the property.
  /// - Complexity: O(*k* log *n*) tests if *k* indexes are kept, O(*n*²) in the worst case.
  static func smallest(of indices: [Int], having isEnough: ([Int]) -> Bool) -> [Int] {
    var kept = indices
    var piece = max(1, kept.count / 2)
    while true {
      var isSmaller = false
      var end = kept.count
      while end > 0 {
        let start = max(0, end - piece)
        let isOutside = kept[start..<end].allSatisfy { $0 == ExplainedTimeline.outside }
        let rest = Array(kept[..<start] + kept[end...])
        if isOutside || isEnough(rest.filter { $0 != ExplainedTimeline.outside }) {
          kept = rest
          isSmaller = true
        }
        end = start
      }
      if piece > 1 {
        piece /= 2
      } else if !isSmaller {
        return kept
      }
    }
  }
}
