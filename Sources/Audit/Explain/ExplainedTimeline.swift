internal import LedgerEvents
internal import LedgerModel

/// All events that are connected with a customer, in the fold order, without their contents: which
/// of them have to be tried to explain an answer, and what the others are.
///
/// A customer of many years has bought much else. What is known to decide nothing is not read and
/// not folded, but keeps its place, so that the search takes the same way. Only events about
/// downloads and installs that say nothing new (`EntitlementFacts`) are left out altogether.
struct ExplainedTimeline {
  /// What is to be explained.
  struct Subject {
    /// The customer's account; 0 if no event states it.
    var account: NameNumber
    /// The product or entitlement.
    var name: Name
    /// The number of the product with that name; 0 if there is none.
    var product: NameNumber
    /// The store time of the question if no event is later.
    var now: Instant
    /// Whether all events are tried, also those that can decide nothing.
    var triesAll = false
  }

  /// One event.
  struct Entry {
    var position: UInt64
    /// Its index among the events that are tried, or `outside`.
    var index: Int
    /// Whether events of its kind can usually decide what a customer has.
    var isUsual: Bool
    /// Whether it can take away what the customer would have.
    var canTakeAway: Bool
  }

  /// The index of an event on which no answer depends.
  static let outside = -1

  private(set) var entries: [Entry] = []

  /// - Parameters:
  ///   - all: In the fold order, up to the store time of the question. Some may not be connected
  ///     with the customer.
  ///   - subject: What is to be explained; `nil` if all facts are connected and have to be tried.
  /// - Complexity: O(*n*) in the number of facts. If they are not connected by names, also a fold
  ///   of all of them.
  init(_ all: [Fact], about subject: Subject?, _ texts: any FactTexts) {
    let facts = Self.needed(all, subject)
    let isConnected = subject.map { Self.connected(facts, $0, texts) } ?? { _ in true }
    let tried = subject.flatMap { Self.tried(facts, $0) }
    var count = 0
    for fact in facts where isConnected(fact) {
      let isTried = tried?.contains(fact.position) ?? true
      entries.append(
        Entry(
          position: fact.position, index: isTried ? count : Self.outside,
          isUsual: Self.isUsual(fact.kind),
          canTakeAway: Self.canTakeAway(fact, from: subject?.account ?? 0)))
      if isTried { count += 1 }
    }
  }

  /// The positions of the events that are tried.
  var triedPositions: Set<UInt64> {
    Set(entries.lazy.filter { $0.index != Self.outside }.map(\.position))
  }

  /// The indexes of the events with a property, each that is not tried as `outside`.
  func indices(_ isIncluded: (Entry) -> Bool = { _ in true }) -> [Int] {
    entries.lazy.filter(isIncluded).map(\.index)
  }

  /// Those of the facts that say something new for the question.
  private static func needed(_ facts: [Fact], _ subject: Subject?) -> [Fact] {
    guard let subject else { return facts }
    var needed = EntitlementFacts(at: subject.now.microseconds)
    return facts.filter { needed.needs($0) }
  }

  /// Says which facts are connected with the customer, or shared by all.
  private static func connected(
    _ facts: [Fact], _ subject: Subject, _ texts: any FactTexts
  ) -> (Fact) -> Bool {
    // Nearly always, all facts are connected by names. What else connects is known by a fold.
    if NameComponents.areOne(facts, with: subject.account, besides: SharedContext.restsOn) {
      return { _ in true }
    }
    let ground = InMemoryLedger(folding: facts, texts: texts)
      .positions(decidingFor: subject.account)
    return { ground.contains($0.position) }
  }

  /// The positions of the facts that have to be tried; `nil` for all of them.
  private static func tried(_ facts: [Fact], _ subject: Subject) -> Set<UInt64>? {
    if subject.triesAll { return nil }
    let now = subject.now.microseconds
    // The customer's newest event decides the time, and any event can be the newest.
    if facts.contains(where: { $0.occurredAt > now }) { return nil }
    return ExplainedSlice.positions(of: facts, about: subject)
  }

  private static func canTakeAway(_ fact: Fact, from account: NameNumber) -> Bool {
    switch fact.kind {
    case .accountTransferred, .accountErased, .entitlementWithdrawn: return true
    default: break
    }
    // A transaction belongs to the first account that an event of it states.
    guard fact.transaction != 0 || fact.payment != 0, fact.account != 0 else { return false }
    return fact.account != account
  }

  /// Whether events of a kind can decide what a customer has. Events about catalogue requests,
  /// downloads and installs usually cannot.
  private static func isUsual(_ kind: EventKind) -> Bool {
    switch kind {
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
