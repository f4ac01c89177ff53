import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel
import QueueSimulator

struct Explore: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Searches a scenario for an order of events and faults that breaks a rule.",
    discussion: """
      Tries all interleavings and placements of faults up to a bound, then random runs, until a \
      rule of the wanted severity or a promise to the customer (not-delivered, credited-twice) is \
      broken. Promises are checked once the faults have stopped. The exit code is 1 if a failure \
      was found. The same options find the same failure. Example:

        daybook explore Tests/Scenarios/explore/two-maps.json --policy finish-at-once --shrink
      """)

  @Argument(help: "A scenario with a script, a JSON document (Schemas/scenario.schema.json).")
  var scenario: String

  @Option(
    help: PolicyArgument.help, completion: PolicyArgument.completion, transform: PolicyArgument.read
  )
  var policy: AppPolicy?

  @Option(help: "The seed of the random runs.")
  var seed: UInt64 = 1

  @Option(help: "Random runs before the search gives up.")
  var runs = 100_000

  @Option(help: "The most faults in one run.")
  var faults = 4

  @Option(help: "States to explore exhaustively before the random runs.")
  var states = 5_000

  @Option(help: "The lowest severity that counts as a failure.")
  var severity: SeverityArgument = SeverityArgument(severity: .critical)

  @Option(
    name: .customLong("rule"),
    help: ArgumentHelp(
      "Count only this rule or promise as a failure, whatever its severity (repeatable).",
      valueName: "rule"))
  var rules: [BreachArgument] = []

  @Option(help: "Give up after this many seconds.")
  var seconds: Double?

  @Flag(help: "Reduce the failing run to a minimal one that breaks the same rule.")
  var shrink = false

  @Option(
    help: ArgumentHelp(
      "Write the failing run as a scenario for simulate and replay.", valueName: "file"))
  var emit: String?

  @Flag(help: "With --emit: replace an existing file.")
  var force = false

  @OptionGroup var zone: ZoneOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    guard runs >= 0, runs <= 1_000_000_000 else {
      throw ValidationError("--runs: expected 0 to 1,000,000,000.")
    }
    guard (0...100).contains(faults) else { throw ValidationError("--faults: expected 0 to 100.") }
    guard (0...10_000_000).contains(states) else {
      throw ValidationError("--states: expected 0 to 10,000,000.")
    }
    // Neither NaN nor an infinity is in the range.
    if let seconds, !(0.001...Self.secondsMax).contains(seconds) {
      throw ValidationError("--seconds: expected 0.001 to 31,536,000 (a year).")
    }
    if force && emit == nil { throw ValidationError("--force needs --emit.") }
  }

  /// A year: longer than anybody waits, and short enough for a clock to count.
  private static let secondsMax: Double = 31_536_000

  func run() throws {
    try answering {
      let file = try ScenarioFile(scenario)
      let script = try file.script()
      guard let policy = policy ?? AppPolicy.named(script.policy) else { return }
      // Check this before the search, which can take long.
      let destination = emit.map {
        OutputDestination(path: $0, replaces: force, inputs: [scenario])
      }
      try destination?.check()
      var options = Exploration.Options()
      options.seed = seed
      options.runCountMax = runs
      options.faults = faults
      options.faultsWhereAll = min(faults, 1)
      options.stateCountMax = states
      options.severity = severity.severity
      options.breaches = Set(rules.map(\.breach))
      let exploration = try file.reading { () throws(ScenarioError) in
        try Exploration(script, policy: policy, options: options)
      }
      let outcome = explore(exploration)
      var failing = outcome.failure.map { failure in
        (shrink ? exploration.shrunk(failure) : nil) ?? exploration.scenario(of: failure)
      }
      if let found = failing, let failure = outcome.failure {
        let expectation = try self.outcome(of: found)
        let ids = failure.breaches.filter(expectation.shows).map(\.id)
        failing?.expectation = expectation
        failing?.title = "\(script.title): \(policy.name) breaks \(ids.joined(separator: ", "))"
      }
      if let destination, let failing {
        let file = try OutputFile(destination)
        do { try file.write(failing.json) } catch {
          file.discard()
          throw error
        }
        try file.publish()
      }
      let report = ExploreReport(
        outcome: outcome, failing: failing, policy: policy.name, again: again(policy))
      report.print(format)
      if outcome.failure != nil { throw ExitStatus.found }
    }
  }

  /// The outcome of the failing run, which its scenario expects when it is a test.
  private func outcome(of failing: Scenario) throws -> ScenarioExpectation {
    let run: Simulation.Run
    do throws(ScenarioError) { run = try Simulation(failing).run() } catch {
      throw InputProblem("\(scenario): \(error)")
    }
    return run.outcome(in: failing.environment ?? .production)
  }

  private func explore(_ exploration: Exploration) -> Exploration.Outcome {
    let bar = ProgressBar("exploring", unit: "runs")
    defer { bar.end() }
    let end = seconds.map { ContinuousClock.now + .seconds($0) }
    return exploration.run { progress in
      bar.show(UInt64(progress.runs), UInt64(max(runs, progress.runs + 1)))
      return end.map { ContinuousClock.now < $0 } ?? true
    }
  }

  /// The command that finds the same failure again.
  private func again(_ policy: AppPolicy) -> String {
    "daybook explore \(scenario) --policy \(policy.name) --seed \(seed) --faults \(faults) "
      + "--states \(states) --severity \(severity.severity.text)"
      + rules.map { " --rule \($0.breach.id)" }.joined() + " --shrink"
  }
}

/// A rule or a promise by its id.
struct BreachArgument: ExpressibleByArgument {
  let breach: Breach

  init?(argument: String) {
    guard let breach = Breach(id: argument) else { return nil }
    self.breach = breach
  }

  static var defaultCompletionKind: CompletionKind {
    .list(Rule.allCases.map(\.id) + Promise.allCases.map(\.id))
  }
}
