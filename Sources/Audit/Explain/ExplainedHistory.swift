internal import LedgerEvents
internal import LedgerModel

/// The events that can decide an answer, in the fold's order, and what any part of them comes to.
///
/// Parts are sets of places, folded by the reducer that folds everything else.
struct ExplainedHistory {
  /// What is asked of a part.
  struct Question {
    var account: NameNumber
    var name: Name
    var environments: EnvironmentSet
    /// In microseconds.
    var moment: Int64
  }

  let events: [RecordedEvent]
  let texts: NumberedEvents

  /// - Parameters:
  ///   - all: What can decide, and more.
  ///   - account: Only what is connected with it counts, and what is shared by all; `nil` for
  ///     everything. Later events may have connected what was not then.
  ///   - at: Only what occurred up to it counts; `nil` for everything.
  /// - Complexity: O(*n* log *n*) in the events.
  init(_ all: [RecordedEvent], about account: Name? = nil, at: Instant? = nil) {
    let places = all.map { (place: FoldPlace($0), event: $0) }
    let sorted = places.filter { $0.place.time <= at ?? $0.place.time }
      .sorted { $0.place < $1.place }.map(\.event)
    guard let account else {
      events = sorted
      texts = NumberedEvents(events)
      return
    }
    let numbered = NumberedEvents(sorted)
    let ground = InMemoryLedger(folding: numbered.facts, texts: numbered)
      .positions(decidingFor: numbered.number(.account, account))
    events = sorted.filter { ground.contains($0.position) }
    texts = NumberedEvents(events)
  }

  var facts: [Fact] { texts.facts }

  /// What the events at `places` come to for the name asked about.
  ///
  /// - Complexity: O(*n* log *n*) in the places.
  func holdings(of places: some Sequence<Int>, _ question: Question) -> [Explanation.Holding] {
    let book = InMemoryLedger(folding: places.map { facts[$0] }, texts: texts)
    return holdings(
      book.answer(
        .account(question.account), environments: question.environments, at: question.moment),
      question.name)
  }

  /// The places of a customer's events, and of those that state nobody and come from a session, or
  /// else a device, on which nobody else was seen.
  ///
  /// - Parameter book: Everything folded.
  /// - Complexity: O(*n* log *n*) in the events.
  func places(ofCustomer account: NameNumber, _ book: InMemoryLedger) -> Set<Int> {
    let positions = Unit.positions(
      ofCustomer: account, among: facts, context: book.context, texts: texts)
    let everywhere = EnvironmentSet(StoreEnvironment.allCases)
    let linked = Set(
      book.unit(of: account)?.linkedAccounts(of: account, environments: everywhere) ?? [account])
    var seen: [NameNumber: Set<NameNumber>] = [:]
    var stated: Set<NameNumber> = []
    for fact in facts where fact.account != 0 {
      stated.insert(fact.transaction)
      for number in [fact.session, fact.device] where number != 0 {
        seen[number, default: []].insert(fact.account)
      }
    }
    return Set(
      facts.indices.filter { place in
        let fact = facts[place]
        if positions.contains(fact.position) { return true }
        guard fact.account == 0, !(fact.transaction != 0 && stated.contains(fact.transaction))
        else { return false }
        let there = seen[fact.session] ?? seen[fact.device] ?? []
        return !there.isEmpty && there.isSubset(of: linked)
      })
  }

  /// The products that a name stands for: the one of that name, and those that open the
  /// entitlement of that name by the catalogue in force.
  ///
  /// - Parameter book: Everything folded.
  func products(for question: Question, _ book: InMemoryLedger) -> Set<NameNumber> {
    let catalogue = book.context.catalogue
    return Set(
      catalogue.products.filter { product in
        question.environments.members.contains { environment in
          let found = catalogue.entryInForce(
            of: product, in: environment, app: 0, at: question.moment)
          return found?.entry.entitlements.contains(question.name) ?? false
        }
      } + [texts.number(.product, question.name)]
    ).subtracting([0])
  }

  /// The entries of an answer that are about a name, in names.
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

  /// The smallest part of `places` that still has a property, in the sense that none of it can be
  /// left out; of equals, what comes first in the fold's order stays.
  ///
  /// Source: Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, 2002.
  ///
  /// - Precondition: `places` has it.
  /// - Complexity: O(*k* log *n*) tests for *k* places that stay, O(*n*²) at the worst.
  static func smallest(of places: [Int], having isEnough: ([Int]) -> Bool) -> [Int] {
    var kept = places
    var piece = max(1, kept.count / 2)
    while true {
      var isSmaller = false
      var end = kept.count
      while end > 0 {
        let start = max(0, end - piece)
        let rest = Array(kept[..<start] + kept[end...])
        if isEnough(rest) {
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

  /// The places of events that can decide what somebody has: what tells of downloads and installs
  /// only can not.
  var deciding: [Int] {
    facts.indices.filter { place in
      switch facts[place].kind {
      case .catalogRequested, .catalogReceived, .catalogFailed, .contentVersionPublished,
        .contentHostingChanged, .paymentsChecked, .downloadRequested, .downloadPauseRequested,
        .downloadResumeRequested, .downloadCancelRequested, .downloadWaiting,
        .downloadProgressed, .downloadPaused,
        .downloadFinished, .downloadFailed, .downloadCancelled, .contentInstallStarted,
        .contentInstalled, .contentInstallFailed, .contentActivated, .contentRemoved,
        .contentPurged, .productPageRequested, .productPagePresented, .productPageFailed,
        .productPageDismissed, .storefrontChanged, .importReceived, .operatorActed, .noteAdded,
        .unknown:
        false
      default: true
      }
    }
  }
}
