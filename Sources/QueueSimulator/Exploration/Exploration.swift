public import LedgerModel

/// A search for a run of a scenario that breaks something: all interleavings and placements of
/// faults up to a bound, then runs at random.
///
/// The search is pure: the same scenario, policy and options find the same failure after the same
/// number of runs, on every machine.
public struct Exploration: Sendable {
  /// How far to search, and for what.
  public struct Options: Hashable, Sendable {
    /// What the runs at random are drawn from.
    public var seed: UInt64 = 1
    /// Faults in one run at random.
    public var faults = 4
    /// Faults in one run of the exhaustive part.
    public var faultsWhereAll = 1
    /// States that the exhaustive part looks at before the runs at random begin.
    public var stateCountMax = 5_000
    /// Runs at random.
    public var runCountMax = 100_000
    /// Actions of one run at random before its faults stop.
    public var actionCountMax = 160
    /// One action in so many is a fault, while faults are left.
    public var faultInterval = 8
    /// The least severity that counts as a failure.
    public var severity = Rule.Severity.critical
    /// What alone counts as a failure, whatever its severity; empty where the severity decides.
    public var breaches: Set<Breach> = []

    public init() {}
  }

  /// A run that broke something.
  public struct Failure: Hashable, Sendable {
    /// What it broke and counts as a failure, what is seen in the fewest events first: rules, rules
    /// that hold at the end, promises.
    public var breaches: [Breach]
    /// What its amounts were drawn from: 0 in the exhaustive part.
    public var seed: UInt64
    /// Everything that happened, in order.
    public var actions: [Action]
    /// The number of the run among those at random, from 1; 0 in the exhaustive part.
    public var run: Int
  }

  /// How far a search has come.
  public struct Progress: Hashable, Sendable {
    /// Different states seen by the exhaustive part.
    public var states = 0
    /// Runs that were judged, of both parts.
    public var runs = 0
    /// Events that those runs recorded.
    public var events = 0
    /// All interleavings up to the bound were seen, and none was left out.
    public var isExhausted = false
  }

  let scenario: Scenario
  let policy: AppPolicy
  public let options: Options

  /// - Throws: ``ScenarioError`` where the scenario has no script to play.
  public init(
    _ scenario: Scenario, policy: AppPolicy, options: Options = Options()
  ) throws(ScenarioError) {
    guard scenario.events.isEmpty, !scenario.script.isEmpty else {
      throw ScenarioError(
        path: "script",
        reason: "expected a script of at least one command: a recording cannot be explored")
    }
    self.scenario = scenario
    self.policy = policy
    self.options = options
  }

  /// What a search comes to.
  public struct Outcome: Sendable {
    public var failure: Failure?
    public var progress: Progress
    /// How often each rule and promise was broken, over all runs that were judged.
    public var counts: [Breach: Int] = [:]
    /// What no run did, and so what the search says nothing about.
    public var unreached = Unreached()
  }

  /// Searches until something of the wanted severity breaks, the bounds are reached, or `goOn`,
  /// which is asked from time to time, says no.
  ///
  /// - Complexity: O(*n*) in the number of actions of all runs.
  public func run(_ goOn: (Progress) -> Bool = { _ in true }) -> Outcome {
    var search = Search(self)
    if search.exhaust(goOn) { search.tryAtRandom(goOn) }
    return Outcome(
      failure: search.failure, progress: search.progress, counts: search.counts,
      unreached: search.unreached)
  }
}
