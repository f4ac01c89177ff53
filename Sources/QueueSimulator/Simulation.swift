public import LedgerEvents

/// A scenario on the simulated queue: a deterministic payment queue, a store and an app policy on a
/// virtual clock.
///
/// The same scenario, policy and seed give the same events, byte for byte, on every machine.
public struct Simulation: Sendable {
  let cast: Cast
  let seed: UInt64

  /// - Parameters:
  ///   - scenario: A scenario with a script.
  ///   - policy: The app's policy; `nil` for the scenario's own.
  ///   - seed: The seed of delays and amounts; `nil` for the scenario's own.
  /// - Throws: ``ScenarioError`` if the scenario names an unknown policy.
  public init(
    _ scenario: Scenario, policy: AppPolicy? = nil, seed: UInt64? = nil
  ) throws(ScenarioError) {
    let chosen: AppPolicy
    if let policy {
      chosen = policy
    } else if let named = AppPolicy.named(scenario.policy) {
      chosen = named
    } else {
      throw ScenarioError(
        path: "policy",
        reason: "expected one of \(AppPolicy.all.map(\.name).joined(separator: ", ")), found "
          + "\"\(scenario.policy)\"")
    }
    self.seed = seed ?? scenario.seed
    cast = Cast(scenario, policy: chosen, seed: self.seed)
  }

  /// The result of a run.
  public struct Run: Sendable {
    /// The events in order, as a recorder would have written them.
    public var events: [Event]
    /// Everything that happened, in order: a schedule that plays the run again.
    public var actions: [Action]
    /// The number of commands of the script that never had their turn.
    public var commandsLeft: Int
    /// What did not happen of the script or the schedule, as one sentence each; empty if everything
    /// happened.
    public var omissions: [String]
    /// Whether the run has ended and its faults have stopped, so that promises count.
    public var isOver: Bool
    /// The promises that are broken; they count only if the run is over.
    public var brokenPromises: [Promise]

    /// The outcome in the form in which a scenario expects it.
    ///
    /// - Complexity: O(*n* log *n*) in the number of events.
    public func outcome(in environment: StoreEnvironment) -> ScenarioExpectation {
      var outcome = ScenarioExpectation(of: events, in: environment)
      if isOver { outcome.brokenPromises = brokenPromises.map(\.id).sorted() }
      return outcome
    }
  }

  /// Plays the scenario, by its schedule if it has one, otherwise by the clock.
  ///
  /// A policy other than the scenario's follows the schedule as far as possible; then the faults
  /// stop and the app is launched again.
  ///
  /// - Complexity: O(*n*) in the number of actions, each of which looks at the whole queue.
  public func run() -> Run {
    var play = Play(cast, seed: seed, faults: .max)
    if cast.scenario.schedule.isEmpty {
      play.playByClock()
    } else {
      play.play(cast.scenario.schedule.compactMap { Action($0) })
      if cast.policy.name != cast.scenario.policy { play.recover() }
    }
    return run(play)
  }

  /// Plays a random run as an exploration does: faults strike, then they stop and the app is
  /// launched again.
  ///
  /// - Parameters:
  ///   - number: Which of the runs, from 0; the same number gives the same run.
  ///   - options: Only `seed`, `faults`, `actionCountMax` and `faultInterval` are used.
  /// - Complexity: The same as for `run()`.
  public func run(atRandom number: Int, options: Exploration.Options = .init()) -> Run {
    run(Play.atRandom(number, cast, options).play)
  }

  private func run(_ play: Play) -> Run {
    let commandsLeft = cast.script.count - play.world.cursor
    let haveFaultsStopped =
      cast.scenario.schedule.isEmpty || play.actions.contains { $0.verb == .calm }
    return Run(
      events: cast.events(of: play.recording.events), actions: play.actions,
      commandsLeft: commandsLeft, omissions: omissions(play),
      isOver: commandsLeft == 0 && !play.isCutShort && haveFaultsStopped,
      brokenPromises: play.world.brokenPromises())
  }

  private func omissions(_ play: Play) -> [String] {
    let script = cast.scenario.script
    var omissions = play.world.missed.map { index in
      "script[\(index)]: nothing happened; this command has an effect only when "
        + script[index].command.need
    }
    if play.isCutShort {
      omissions.append(
        "the run was stopped after \(ScenarioLimits.actionCountMax) actions, the most that one may "
          + "have: make the scenario smaller")
    }
    let next = play.world.cursor
    if next < script.count {
      var text = "script[\(next)]: this command and those after it were never reached"
      if !play.isCutShort, case .on(let kind, let nth) = script[next].moment {
        text += "; it waits for event \(nth) of type \(kind.text), and the run had "
        text += "\(play.recording.count(of: kind))"
      }
      omissions.append(text)
    }
    // Another policy follows the schedule as far as it can.
    if play.actionsLeftOut > 0, cast.policy.name == cast.scenario.policy {
      omissions.append(
        "schedule: \(play.actionsLeftOut) of its actions could not happen when their turn came")
    }
    return omissions
  }
}
