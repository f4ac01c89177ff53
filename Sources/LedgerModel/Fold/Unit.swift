import LedgerEvents

/// What a fold needs in addition to the facts. It is a class, so that passing it on costs nothing.
final class FoldContext {
  let shared: SharedContext
  let texts: any FactTexts

  init(context: SharedContext, texts: any FactTexts) {
    shared = context
    self.texts = texts
  }
}

/// Watches a unit while its facts are folded.
protocol FoldObserver {
  /// Called before a fact is folded.
  mutating func willFold(_ fact: Fact, _ resolution: Resolution, into unit: borrowing Unit)
  /// Called after a fact was folded.
  mutating func didFold(_ fact: Fact, _ resolution: Resolution, into unit: borrowing Unit)
}

/// Nobody watches.
private struct Unobserved: FoldObserver {
  @inline(__always)
  func willFold(_ fact: Fact, _ resolution: Resolution, into unit: borrowing Unit) {}
  @inline(__always)
  func didFold(_ fact: Fact, _ resolution: Resolution, into unit: borrowing Unit) {}
}

/// A fact that is being folded, and what was resolved for it in one environment.
struct Step {
  /// The number of facts of the unit that were folded before.
  let ordinal: Int
  let key: FoldKey
  /// The index of the fact's transaction, or `none`.
  var transaction = none
  /// The customer that the fact is about, or `nobody`.
  var holder = Holder.nobody
  /// The product that the fact concerns, or 0.
  var product: NameNumber = 0
}

/// The state of a unit, which is the result of folding its facts, in each environment.
///
/// A unit is a connected component of the event graph. Facts are connected if they share names
/// (`UnitNodes`), or state of the absent device (`Coupling`). The state is a function of the set of
/// facts and of the shared context. The order in which the facts arrived does not matter.
public struct Unit: Sendable {
  var identity = Identity()
  /// In the order of environments.
  var environments: [EnvironmentState] = []
  /// Whether a fact that counts in every environment was folded. If so, a new environment changes
  /// the past.
  var countsEverywhere = false
  /// How many facts were folded.
  public internal(set) var factCount = 0
  /// The key of the last fact in the fold order; `nil` before any.
  public internal(set) var lastKey: FoldKey?
  /// The highest position folded.
  public internal(set) var lastPosition: UInt64 = 0
  /// Accounts that a fact states, in the order of first mention.
  var statedAccounts = KeyIndex()
  /// Empty unless the driver wants the unit to go back when facts are late.
  var journal = FoldJournal()

  public init() {}

  /// Folds all facts of a unit, given in any order. Only the driver calls it (`UnitSet`).
  ///
  /// - Parameter keepsJournal: Whether late facts are to follow that shall not cost as much again.
  /// - Complexity: O(*n* log *n*) in the number of facts, or O(*n*) if they are in order.
  static func fold(
    _ facts: [Fact], _ foldContext: FoldContext, keepsJournal: Bool = false
  ) -> Unit {
    if keepsJournal, let unit = foldWithJournal(facts, foldContext) { return unit }
    var unobserved = Unobserved()
    return fold(facts, foldContext, &unobserved)
  }

  /// Like `fold(_:_:)`, but shows every step to an observer.
  @inline(__always)
  static func fold(
    _ facts: [Fact], _ foldContext: FoldContext, _ observer: inout some FoldObserver
  ) -> Unit {
    var unit = Unit()
    let settled = unit.begin(facts, foldContext)
    let sorted = settled.facts.span
    for index in sorted.indices {
      observer.willFold(sorted[index], settled.resolutions[index], into: unit)
      unit.step(sorted[index], settled.resolutions[index], foldContext)
      observer.didFold(sorted[index], settled.resolutions[index], into: unit)
    }
    unit.close(foldContext)
    unit.checkInvariants()
    return unit
  }

  /// Settles identity over all facts of a unit. Returns the facts in the fold order, and where each
  /// of them belongs.
  mutating func begin(
    _ facts: [Fact], _ foldContext: FoldContext
  ) -> (facts: [Fact], resolutions: [Resolution]) {
    let sorted = facts.inFoldOrder(foldContext.texts)
    return (sorted, begin(sorted: sorted[...], foldContext))
  }

  /// Settles identity over facts in the fold order. Returns where each of them belongs.
  private mutating func begin(
    sorted facts: ArraySlice<Fact>, _ foldContext: FoldContext
  ) -> [Resolution] {
    identity = Identity(settling: facts)
    return prepare(facts, foldContext.shared)
  }

  /// Folds all facts of a unit, the last of them one by one with marks between them; `nil` if they
  /// are few, or if one of the last settles something about an earlier one.
  private static func foldWithJournal(_ facts: [Fact], _ foldContext: FoldContext) -> Unit? {
    guard facts.count > FoldJournal.factCountMin else { return nil }
    let sorted = facts.inFoldOrder(foldContext.texts)
    let start = max(FoldJournal.factCountMin, sorted.count - FoldJournal.reach)
    var unit = Unit()
    let resolutions = unit.begin(sorted: sorted[..<start], foldContext)
    let span = sorted.span
    for index in 0..<start { unit.step(span[index], resolutions[index], foldContext) }
    for index in start..<span.count {
      unit.markIfDue()
      guard unit.goOn(span[index], foldContext) else { return nil }
      unit.noteFolded(span[index])
    }
    unit.close(foldContext)
    unit.checkInvariants()
    return unit
  }

  /// Continues the fold with facts that arrived after all folded ones, given in the fold order.
  ///
  /// Facts that sort before folded ones are late. If the journal reaches back far enough, the unit
  /// goes back and folds what follows once more.
  ///
  /// Returns false if the facts reach back further, or if they settle something that "the first
  /// event that states it" decides. The unit is then unusable and has to be folded again from all
  /// of its facts.
  ///
  /// Only the driver calls it (`UnitSet`).
  ///
  /// - Parameter keepsJournal: Whether the journal goes on, so that late facts can follow.
  /// - Precondition: Nothing in the context has changed that concerns the facts already folded.
  /// - Complexity: O(*n*) in the number of new facts and of folded ones after the first of them.
  mutating func advance(
    _ facts: [Fact], _ foldContext: FoldContext, keepsJournal: Bool = false
  ) -> Bool {
    for index in environments.indices where environments[index].indexes.holders.areMade {
      environments[index].indexes.holders = HolderIndexes()
    }
    let positionBefore = lastPosition
    var again: [Fact] = []
    if let first = facts.first, isLate(first, foldContext.texts) {
      guard let folded = goBack(before: FoldKey(first), foldContext.texts) else { return false }
      again = folded
    }
    let arrived = again.isEmpty ? facts : again.merged(with: facts, foldContext.texts)
    let span = arrived.span
    for index in span.indices {
      if keepsJournal { markIfDue() }
      let isFoldedAgain = !again.isEmpty && span[index].position <= positionBefore
      guard isFoldedAgain || span[index].position > positionBefore,
        goOn(span[index], foldContext)
      else { return false }
      if isFoldedAgain {
        guard isNotedAsBefore(span[index]) else { return false }
      } else {
        noteFolded(span[index])
      }
    }
    close(foldContext)
    checkInvariants()
    return true
  }

  /// Whether a fact sorts before something that was folded.
  func isLate(_ fact: Fact, _ texts: any FactTexts) -> Bool {
    lastKey.map { !$0.precedes(FoldKey(fact), texts) } ?? false
  }

  /// Folds the next fact in the fold order. Returns false if it reaches back.
  private mutating func goOn(_ fact: Fact, _ foldContext: FoldContext) -> Bool {
    if isLate(fact, foldContext.texts) { return false }
    let statement = Identity.Statement(fact)
    let namesTransaction = identity.names(statement)
    guard identity.admit(statement) else { return false }
    let resolution = identity.resolve(statement)
    if namesTransaction && !renames(fact, resolution) { return false }
    guard admits(resolution, foldContext.shared), settlesForward(fact, resolution) else {
      return false
    }
    step(fact, resolution, foldContext)
    return true
  }
}

extension Unit {
  /// Resolves every fact and settles, in each environment, what the first stating event decides
  /// about its transactions.
  private mutating func prepare(
    _ facts: ArraySlice<Fact>, _ context: SharedContext
  ) -> [Resolution] {
    var stated: EnvironmentSet = []
    var resolutions: [Resolution] = []
    resolutions.reserveCapacity(facts.count)
    for at in facts.indices {
      let resolution = identity.resolve(Identity.Statement(facts[at]))
      if let environment = resolution.environment {
        stated.insert(environment)
      } else {
        countsEverywhere = true
      }
      resolutions.append(resolution)
    }
    if countsEverywhere { stated.formUnion(context.environments) }
    environments = stated.members.map { EnvironmentState(environment: $0) }
    for index in environments.indices {
      let environment = environments[index].environment
      // Hardly any transaction belongs to several environments.
      if environments.count == 1 {
        environments[index].transactions.reserveCapacity(identity.roots.count)
      }
      var expiring: [Int] = []
      for at in facts.indices where facts[at].kind != .unknown {
        guard resolutions[at].environment ?? environment == environment else { continue }
        let root = resolutions[at].root
        if root != 0 {
          environments[index].settle(
            root: root, original: facts[at].original, owner: facts[at].account,
            product: facts[at].product)
        }
        if EnvironmentState.statesExpiry(facts[at], root: root) { expiring.append(at) }
      }
      environments[index].settleChainOwners()
      for at in expiring {
        environments[index].settleExpiry(facts[at], root: resolutions[at].root)
      }
    }
    return resolutions
  }

  /// Adds the environment if it is new. Returns false if a folded fact should have counted in it.
  private mutating func admits(_ resolution: Resolution, _ context: SharedContext) -> Bool {
    guard let environment = resolution.environment else {
      if countsEverywhere { return true }
      countsEverywhere = true
      for member in context.environments.members { addEnvironment(member) }
      return true
    }
    if index(of: environment) != nil { return true }
    if countsEverywhere { return false }
    addEnvironment(environment)
    return true
  }

  /// The index of an environment's state; `nil` if no fact counts in it.
  func index(of environment: StoreEnvironment) -> Int? {
    for index in environments.indices where environments[index].environment == environment {
      return index
    }
    return nil
  }

  private mutating func addEnvironment(_ environment: StoreEnvironment) {
    let index = environments.firstIndex { $0.environment >= environment } ?? environments.count
    if index < environments.count, environments[index].environment == environment { return }
    // At earlier marks, there is no such environment to go back to.
    forgetMarks()
    environments.insert(EnvironmentState(environment: environment), at: index)
  }

  /// Gives what was folded under a payment the number of the transaction that a fact names.
  private mutating func renames(_ fact: Fact, _ resolution: Resolution) -> Bool {
    for index in environments.indices {
      let counts =
        (resolution.environment ?? environments[index].environment)
        == environments[index].environment
      if !environments[index].rename(fact, counts: counts) { return false }
    }
    return true
  }

  private mutating func settlesForward(_ fact: Fact, _ resolution: Resolution) -> Bool {
    if fact.kind == .unknown { return true }
    for index in environments.indices {
      if let only = resolution.environment, only != environments[index].environment { continue }
      let root = resolution.root
      if root != 0 && !environments[index].settleForward(fact, root: root) { return false }
      if !environments[index].settleExpiryForward(fact, root: root) { return false }
    }
    return true
  }

  mutating func step(
    _ fact: Fact, _ resolution: Resolution, _ foldContext: FoldContext
  ) {
    let key = FoldKey(fact)
    let step = Step(ordinal: factCount, key: key)
    factCount += 1
    lastKey = key
    lastPosition = max(lastPosition, fact.position)
    if fact.account != 0, statedAccounts.find(UInt64(fact.account)) < 0 {
      _ = statedAccounts.append(UInt64(fact.account))
    }
    let isMixture = resolution.root != 0 && identity.findsMixture(fact.environment, resolution)
    for index in environments.indices {
      if let only = resolution.environment, only != environments[index].environment { continue }
      if isMixture { environments[index].report(.environmentMixed, fact, step) }
      environments[index].reduce(fact, step, root: resolution.root, foldContext)
    }
  }

  /// Ends a batch: applies what the absent device purged after the last fact, and judges what
  /// arrived late.
  mutating func close(_ foldContext: FoldContext) {
    for index in environments.indices {
      if let purge = environments[index].drainAbsentPurges(before: nil, foldContext) {
        if let last = lastKey, last.precedes(purge, foldContext.texts) { lastKey = purge }
      }
      environments[index].judgeArrivals()
    }
  }
}
