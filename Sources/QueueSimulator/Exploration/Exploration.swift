public import LedgerModel

/// A search for a run of a scenario that breaks something. It tries all interleavings and
/// placements of faults up to a bound, and then random runs.
///
/// The search is pure: the same scenario, policy and options find the same failure after the same
/// number of runs, on every machine.
public struct Exploration: Sendable {
  /// How far to search, and what for.
  public struct Options: Hashable, Sendable {
    /// The seed of the random runs.
    public var seed: UInt64 = 1
    /// The maximum number of faults in one random run.
    public var faults = 4
    /// The maximum number of faults in one run of the exhaustive part.
    public var faultsWhereAll = 1
    /// The maximum number of states in the exhaustive part.
    public var stateCountMax = 5_000
    /// The number of random runs.
    public var runCountMax = 100_000
    /// The number of actions in one random run after which its faults stop.
    public var actionCountMax = 160
    /// On average, one action in this many is a fault, while faults are left.
    public var faultInterval = 8
    /// The lowest severity that counts as a failure.
    public var severity = Rule.Severity.critical
    /// The only rules and promises that count as failures, whatever their severity; empty if the
    /// severity decides.
    public var breaches: Set<Breach> = []

    public init() {}
  }

  /// A run that broke something.
  public struct Failure: Hashable, Sendable {
    /// The rules and promises that it broke and that count as failures: rules first, then rules
    /// that hold at the end, then promises.
    public var breaches: [Breach]
    /// The seed of the run; 0 in the exhaustive part.
    public var seed: UInt64
    /// Everything that happened, in order.
    public var actions: [Action]
    /// The number of the random run, from 1; 0 in the exhaustive part.
    public var run: Int
  }

  /// The progress of a search.
  public struct Progress: Hashable, Sendable {
    /// The distinct states seen by the exhaustive part.
    public var states = 0
    /// Runs that were judged, of both parts.
    public var runs = 0
    /// Events that those runs recorded.
    public var events = 0
    /// Whether all interleavings were tried before the bound was reached.
    public var isExhausted = false
  }

  let scenario: Scenario
  let policy: AppPolicy
  public let options: Options

  /// - Throws: ``ScenarioError`` if the scenario has no script to play.
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

  /// The result of a search.
  public struct Outcome: Sendable {
    public var failure: Failure?
    public var progress: Progress
    /// How often each rule and promise was broken, over all runs that were judged.
    public var counts: [Breach: Int] = [:]
    /// What no run reached; the search says nothing about it.
    public var unreached = Unreached()
  }

  /// Searches until something of the wanted severity breaks, the bounds are reached, or `goOn`,
  /// which is called from time to time, returns false.
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
