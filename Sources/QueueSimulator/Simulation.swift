public import LedgerEvents

/// A scenario on the simulated queue: a deterministic payment queue, a store and an app policy,
/// from a seed, on a virtual clock.
///
/// The same scenario, policy and seed give the same events, byte for byte, on every machine.
public struct Simulation: Sendable {
  let cast: Cast
  let seed: UInt64

  /// - Parameters:
  ///   - scenario: One with a script.
  ///   - policy: What the app does; `nil` for the scenario's own.
  ///   - seed: What delays and amounts are drawn from; `nil` for the scenario's own.
  /// - Throws: ``ScenarioError`` where the scenario names a policy that there is none of.
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

  /// What a run comes to.
  public struct Run: Sendable {
    /// As a recorder would have written them, in the order in which they came.
    public var events: [Event]
    /// Everything that happened, in order: a schedule that plays the run again.
    public var actions: [Action]
    /// How many commands of the script never got their turn.
    public var commandsLeft: Int
    /// What of the script or the schedule did not happen, in sentences with its place; empty where
    /// everything did.
    public var omissions: [String]
    /// Whether the run came to its end and its faults have stopped, so that promises count.
    public var isOver: Bool
    /// What the app owes its customers; the promises count where the run is over.
    public var brokenPromises: [Promise]

    /// What comes out, as a scenario can expect it.
    ///
    /// - Complexity: O(*n* log *n*) in the number of events.
    public func outcome(in environment: StoreEnvironment) -> ScenarioExpectation {
      var outcome = ScenarioExpectation(of: events, in: environment)
      if isOver { outcome.brokenPromises = brokenPromises.map(\.id).sorted() }
      return outcome
    }
  }

  /// Plays the scenario: by its schedule where it has one, else by the clock.
  ///
  /// Another policy than the scenario's follows the schedule as far as it can; then the faults stop
  /// and it gets its chance.
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

  /// Plays a run at random as an exploration does: faults strike, then they stop and the app gets
  /// its chance.
  ///
  /// - Parameters:
  ///   - number: Which of the runs, from 0; the same number gives the same run.
  ///   - options: `seed`, `faults`, `actionCountMax` and `faultInterval` count.
  /// - Complexity: as for `run()`.
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
    var omissions = play.world.missed.map { place in
      "script[\(place)]: nothing happened; this command has an effect only when "
        + script[place].command.need
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
