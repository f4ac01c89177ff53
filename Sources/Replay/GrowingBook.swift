internal import LedgerEvents
internal import LedgerModel

/// A ledger in memory that grows fact by fact: what `Book` is after each prefix, without folding
/// every prefix anew.
struct GrowingBook {
  /// One unit of the ledger: facts that are folded together.
  struct Part {
    /// In the order of arrival.
    fileprivate(set) var facts: [Fact] = []
    fileprivate(set) var unit = Unit()
    /// Counted up with every change of the unit.
    fileprivate(set) var version = 0
    fileprivate(set) var isGone = false
    /// What becomes of it is not told.
    fileprivate(set) var isBackground = true
    /// Of the unit alone.
    fileprivate var findings: [Finding] = []
    /// What others are asked about for more of them.
    fileprivate var judgedProducts: Set<NameNumber> = []
    /// The version that these are of.
    fileprivate var judgedVersion = -1
    fileprivate var isSpent = false
  }

  let texts: NumberedEvents
  private(set) var context = SharedContext()
  /// Counted up with every change of the context.
  private(set) var contextVersion = 0
  private(set) var parts: [Part] = []
  /// All broken rules of the first table, by position.
  private(set) var findings: [Finding] = []
  /// Counted up where the findings may have changed.
  private(set) var findingsVersion = 0
  /// Some of the findings are judged over all units.
  private var judgesProducts = false
  private var partByNode: [NameNumber: Int] = [:]
  /// The part of the facts that name nothing.
  private var loose: Int?
  /// The positions of facts that others are judged against, and no more.
  private let background: Set<UInt64>

  init(texts: NumberedEvents, background: Set<UInt64> = []) {
    self.texts = texts
    self.background = background
  }

  /// Takes in the next facts, in the order of arrival.
  ///
  /// - Complexity: O(*k*) in the number of facts where they follow in the fold's order, else
  ///   O(*n* log *n*) in the facts of the units that they belong to.
  mutating func append(_ facts: some Sequence<Fact>) {
    var change = ContextChange()
    var fresh: [Int: [Fact]] = [:]
    for fact in facts {
      context.extend(with: fact, texts, &change)
      let part = part(of: fact)
      parts[part].facts.append(fact)
      if !background.contains(fact.position) { parts[part].isBackground = false }
      fresh[part, default: []].append(fact)
    }
    if !change.isEmpty {
      contextVersion += 1
      for place in parts.indices where parts[place].unit.isAffected(by: change) {
        parts[place].isSpent = true
      }
    }
    for (place, facts) in fresh where !parts[place].isGone { advance(place, facts) }
    repeat {
      for place in parts.indices where parts[place].isSpent && !parts[place].isGone {
        refold(place)
      }
    } while joinCoupled()
    judge()
  }

  /// Brings the findings up to what the parts are now.
  private mutating func judge() {
    var isChanged = false
    for place in parts.indices where parts[place].judgedVersion != parts[place].version {
      let found = parts[place].isBackground ? [] : parts[place].unit.findings
      isChanged = isChanged || found != parts[place].findings
      parts[place].findings = found
      parts[place].judgedProducts =
        parts[place].isBackground ? [] : parts[place].unit.judgedProducts
      parts[place].judgedVersion = parts[place].version
    }
    let products = parts.reduce(into: Set<NameNumber>()) { $0.formUnion($1.judgedProducts) }
    guard isChanged || !products.isEmpty || judgesProducts else { return }
    judgesProducts = !products.isEmpty
    var all = parts.flatMap(\.findings)
    let observations = observations { products.contains($0) }
    for part in parts where !part.judgedProducts.isEmpty {
      for observed in part.unit.observedProducts {
        guard let known = observations[observed] else { continue }
        all += part.unit.findings(of: observed, against: known, texts: texts)
      }
    }
    findings = Self.sorted(all)
    findingsVersion += 1
  }

  private mutating func advance(_ place: Int, _ facts: [Fact]) {
    parts[place].version += 1
    if parts[place].isSpent { return }
    let sorted = facts.sorted { FoldKey($0).precedes(FoldKey($1), texts) }
    let advances = parts[place].unit.advance(sorted, context: context, texts: texts)
    if !advances { parts[place].isSpent = true }
  }

  private mutating func refold(_ place: Int) {
    parts[place].unit = Unit.fold(parts[place].facts, context: context, texts: texts)
    parts[place].version += 1
    parts[place].isSpent = false
  }

  /// The part that a fact belongs to; parts that it connects become one.
  private mutating func part(of fact: Fact) -> Int {
    var found: Int?
    for node in UnitNodes(fact) {
      guard let other = partByNode[node] else { continue }
      if let first = found, first != other {
        found = join(first, other)
      } else {
        found = other
      }
    }
    let isLoose = UnitNodes(fact).isEmpty
    if isLoose, let loose { return loose }
    let place = found ?? parts.count
    if found == nil { parts.append(Part()) }
    if isLoose { loose = place }
    for node in UnitNodes(fact) { partByNode[node] = place }
    return place
  }

  /// The part that holds a fact which was taken in.
  func part(holding fact: Fact) -> Int? {
    guard let node = UnitNodes(fact).first(where: { _ in true }) else { return loose }
    return partByNode[node]
  }

  /// Makes one part of two, to be folded anew.
  private mutating func join(_ first: Int, _ second: Int) -> Int {
    let (into, gone) = (min(first, second), max(first, second))
    parts[into].facts += parts[gone].facts
    parts[into].facts.sort { $0.position < $1.position }
    parts[into].isSpent = true
    if !parts[gone].isBackground { parts[into].isBackground = false }
    for fact in parts[gone].facts {
      for node in UnitNodes(fact) { partByNode[node] = into }
    }
    if loose == gone { loose = into }
    var empty = Part(version: parts[gone].version + 1, isGone: true)
    // So that it is seen that they are gone.
    empty.findings = parts[gone].findings
    parts[gone] = empty
    return into
  }

  /// Joins the parts that share what one of them writes; false where there are none.
  private mutating func joinCoupled() -> Bool {
    var users: [Coupling: (parts: [Int], isWritten: Bool)] = [:]
    for place in parts.indices where !parts[place].isGone {
      for use in parts[place].unit.couplings {
        users[use.coupling, default: ([], false)].parts.append(place)
        if use.writes { users[use.coupling]?.isWritten = true }
      }
    }
    var joined = false
    for (_, user) in users where user.isWritten {
      let together = Set(user.parts).filter { !parts[$0].isGone }.sorted()
      for other in together.dropFirst() {
        _ = join(together[0], other)
        joined = true
      }
    }
    return joined
  }
}

extension GrowingBook {
  /// Believed `occurredAt` of the newest fact that counts in an environment.
  func newestEvent(in environment: StoreEnvironment) -> Int64? {
    parts.compactMap { $0.unit.newestEvent(in: environment) }.max()
  }

  /// What all units observed of some products.
  private func observations(
    of isAsked: (NameNumber) -> Bool = { _ in true }
  ) -> [Unit.ObservedProduct: ProductObservations] {
    var observations: [Unit.ObservedProduct: ProductObservations] = [:]
    for part in parts {
      for observed in part.unit.observedProducts where isAsked(observed.product) {
        observations[observed, default: .init()].merge(
          part.unit.observations(of: observed, texts: texts), texts)
      }
    }
    return observations
  }

  /// The rules of the second table that hold at the newest event of each environment.
  func findingsAtTheEnd(_ thresholds: Thresholds) -> [Finding] {
    var all: [Finding] = []
    let observations = observations()
    for environment in StoreEnvironment.allCases {
      guard let moment = newestEvent(in: environment) else { continue }
      for part in parts where !part.isBackground {
        all += part.unit.findings(
          at: moment, in: environment, thresholds: thresholds, context: context, texts: texts
        ) { product in
          let observed = Unit.ObservedProduct(environment: environment, product: product)
          return observations[observed]?.isInstalledByNobody ?? false
        }
      }
      all += context.findings(at: moment, in: environment, thresholds: thresholds)
    }
    return Self.sorted(all)
  }

  /// By position, environment and rule.
  private static func sorted(_ findings: [Finding]) -> [Finding] {
    findings.sorted {
      (
        $0.position, $0.environment.rawValue, $0.rule.rawValue, $0.transaction, $0.download,
        $0.device
      )
        < (
          $1.position, $1.environment.rawValue, $1.rule.rawValue, $1.transaction, $1.download,
          $1.device
        )
    }
  }
}
