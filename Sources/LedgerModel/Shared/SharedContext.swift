public import LedgerEvents

/// What changed in the shared context. It decides which units have to be folded again.
public struct ContextChange: Sendable {
  /// A product whose entry may have changed for facts from `from` up to, not including, `to`.
  public struct ProductSpan: Hashable, Sendable {
    public var product: NameNumber
    public var from: Int64
    public var to: Int64
  }

  public var products: [ProductSpan] = []
  /// The believed time from which the timelines of the absent device changed.
  public var absentDeviceFrom: Int64?
  /// An environment is stated for the first time. Events that count in every environment now count
  /// in it, too.
  public var addsEnvironment = false

  public init() {}

  public var isEmpty: Bool {
    products.isEmpty && absentDeviceFrom == nil && !addsEnvironment
  }

  mutating func touchAbsentDevice(at time: Int64) {
    absentDeviceFrom = min(absentDeviceFrom ?? time, time)
  }
}

/// The little that units share: the catalogue, and the timelines of the absent device.
///
/// It is a function of the set of facts that it was extended with; their order does not matter.
public struct SharedContext: Sendable {
  public private(set) var catalogue = Catalogue()
  /// By environment, production first.
  private(set) var absentDevice = [AbsentDevice](
    repeating: AbsentDevice(), count: StoreEnvironment.allCases.count)
  /// `production` and every environment that any event states.
  public private(set) var environments: EnvironmentSet = [.production]
  /// Believed `occurredAt` of the newest fact that the context depends on, in microseconds; `.min`
  /// if there is none. A question about a store time from then on needs the whole context.
  public private(set) var newest: Int64 = .min
  /// The first environment stated in a session of the absent device.
  private var sessions: [NameNumber: SessionEnvironment] = [:]

  private struct SessionEnvironment {
    var environment: StoreEnvironment?
    var key: FoldKey?
    /// Entries of the timelines that depend on this session's environment.
    var dependents: [AbsentDevice.Entry] = []
  }

  public init() {}

  /// The context of facts, in any order.
  ///
  /// - Complexity: O(*n*) if they are in the fold order, otherwise O(*n* log *n*) or more in those
  ///   that are about the same product or the absent device.
  package init(of facts: [Fact], texts: any FactTexts) {
    for fact in facts { add(fact, texts) }
  }

  /// Adds one fact, if no unit has to learn what it changes.
  package mutating func add(_ fact: Fact, _ texts: any FactTexts) {
    var change = ContextChange()
    extend(with: fact, texts, &change)
  }

  func absentDevice(in environment: StoreEnvironment) -> AbsentDevice {
    absentDevice[Int(environment.rawValue) - 1]
  }

  /// Whether `extend` with this fact can change anything. A store indexes these facts, so that it
  /// can rebuild the context.
  ///
  /// - Complexity: O(1).
  public func concerns(_ fact: Fact) -> Bool {
    if let stated = fact.environment, !environments.contains(stated) { return true }
    return Self.restsOn(fact)
  }

  /// A cheap test whether `extend` with this fact can change anything. It rules out nearly all
  /// facts that state a device.
  func mayConcern(_ fact: borrowing Fact) -> Bool {
    if fact.device == 0 || fact.kind == .catalogSet { return true }
    guard let stated = fact.environment else { return false }
    return !environments.contains(stated)
  }

  /// Whether the context depends on more of the fact than the existence of its environment.
  package static func restsOn(_ fact: Fact) -> Bool {
    if fact.kind == .catalogSet { return true }
    guard fact.device == 0 else { return false }
    return (fact.session != 0 && fact.environment != nil) || AbsentDevice.keeps(fact.kind)
  }

  /// Adds one fact of the ledger. Most facts leave the context as it is.
  ///
  /// - Complexity: O(1) for most facts; for a late one, O(*n*) in the entries after it.
  mutating func extend(
    with fact: Fact, _ texts: any FactTexts, _ change: inout ContextChange
  ) {
    if concerns(fact) { newest = max(newest, fact.occurredAt) }
    if let stated = fact.environment, !environments.contains(stated) {
      environments.insert(stated)
      change.addsEnvironment = true
    }
    if fact.kind == .catalogSet {
      change.products.append(contentsOf: catalogue.add(fact, texts))
    }
    guard fact.device == 0 else { return }
    if fact.session != 0, let stated = fact.environment {
      noteEnvironment(fact.session, stated, FoldKey(fact), texts, &change)
    }
    guard let entry = AbsentDevice.Entry(fact) else { return }
    change.touchAbsentDevice(at: entry.key.time)
    if fact.kind.countsInEveryEnvironment && fact.environment == nil {
      for index in absentDevice.indices { absentDevice[index].insert(entry, texts) }
    } else if let stated = fact.environment {
      absentDevice[Int(stated.rawValue) - 1].insert(entry, texts)
    } else {
      let environment = sessions[fact.session]?.environment ?? .production
      absentDevice[Int(environment.rawValue) - 1].insert(entry, texts)
      if fact.session != 0 { sessions[fact.session, default: .init()].dependents.append(entry) }
    }
  }

  /// Notes that a session of the absent device states an environment, and moves what depends on it.
  private mutating func noteEnvironment(
    _ session: NameNumber, _ stated: StoreEnvironment, _ key: FoldKey, _ texts: any FactTexts,
    _ change: inout ContextChange
  ) {
    var known = sessions[session] ?? SessionEnvironment()
    if let first = known.key, !key.precedes(first, texts) { return }
    let before = known.environment ?? .production
    known.key = key
    known.environment = stated
    if before != stated {
      for entry in known.dependents {
        absentDevice[Int(before.rawValue) - 1].remove(entry)
        absentDevice[Int(stated.rawValue) - 1].insert(entry, texts)
        change.touchAbsentDevice(at: entry.key.time)
      }
    }
    sessions[session] = known
  }
}

/// A set of environments.
public struct EnvironmentSet: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public init(_ environment: StoreEnvironment) { rawValue = 1 << (environment.rawValue - 1) }

  /// Creates a set from environments.
  @inlinable
  package init(_ environments: some Sequence<StoreEnvironment>) {
    self = []
    for environment in environments { insert(environment) }
  }

  public static let production = EnvironmentSet(.production)

  /// Whether the set contains the environment.
  public func contains(_ environment: StoreEnvironment) -> Bool {
    contains(EnvironmentSet(environment))
  }

  /// Adds the environment to the set.
  public mutating func insert(_ environment: StoreEnvironment) {
    formUnion(EnvironmentSet(environment))
  }

  /// The environments of the set, in the order of `StoreEnvironment.allCases`.
  public var members: [StoreEnvironment] { StoreEnvironment.allCases.filter(contains) }
}
