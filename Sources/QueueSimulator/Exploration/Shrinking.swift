internal import LedgerEvents
internal import LedgerModel

/// A failing run that is being made smaller: its scenario and its schedule.
struct Shrinking {
  private(set) var scenario: Scenario
  private(set) var actions: [Action]
  private let policy: AppPolicy
  private(set) var seed: UInt64
  private let breach: Breach
  private(set) var eventCount = Int.max

  init(
    _ scenario: Scenario, _ policy: AppPolicy, _ failure: Exploration.Failure, _ breach: Breach
  ) {
    self.scenario = scenario
    self.policy = policy
    self.breach = breach
    actions = failure.actions
    seed = failure.seed
    // Candidates are compared with the run as its schedule plays it.
    if let first = trial(scenario, actions) { eventCount = first.eventCount }
  }

  /// Whether the run broke the rule when it was played again.
  var isReproduced: Bool { eventCount < .max }

  /// Removes everything that is not needed to break the rule.
  mutating func run() {
    var before = (Int.max, Int.max)
    while (eventCount, actions.count) < before {
      before = (eventCount, actions.count)
      dropActions()
      dropCommands()
      dropListed()
      dropProducts()
      simplify()
    }
  }

  private struct Trial {
    var actions: [Action]
    var eventCount: Int
  }

  private var isOwedInTheEnd: Bool {
    switch breach {
    case .rule(let rule): rule.isJudgedAtAMoment
    case .promise: true
    }
  }

  /// Plays a candidate; `nil` if it does not break the rule.
  private func trial(_ scenario: Scenario, _ schedule: [Action]) -> Trial? {
    let cast = Cast(scenario, policy: policy, seed: seed)
    var play = Play(cast, seed: seed, faults: .max)
    if isOwedInTheEnd {
      // Such a breach is judged after the faults have stopped and the app was launched again.
      play.play(Array(schedule.prefix { $0.verb != .calm }))
      play.recover()
    } else {
      play.play(schedule)
    }
    var judge = Judge(cast)
    let isBroken: Bool
    switch breach {
    case .rule(let rule):
      isBroken = judge.findings(of: play.recording, isOver: rule.isJudgedAtAMoment).contains {
        $0.rule == rule
      }
    case .promise(let promise):
      isBroken = play.world.brokenPromises().contains(promise)
    }
    guard isBroken else { return nil }
    let catalogs = scenario.setsCatalog && !scenario.products.isEmpty ? 1 : 0
    return Trial(actions: play.actions, eventCount: play.recording.count + catalogs)
  }

  /// Accepts a candidate if it breaks the rule and is not larger.
  private mutating func take(_ candidate: Scenario, _ schedule: [Action]) -> Bool {
    guard let trial = trial(candidate, schedule),
      (trial.eventCount, trial.actions.count) <= (eventCount, actions.count)
    else { return false }
    scenario = candidate
    actions = trial.actions
    eventCount = trial.eventCount
    return true
  }

  /// Leaves out ever smaller pieces of the schedule, which is delta debugging (Zeller and
  /// Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, 2002).
  private mutating func dropActions() {
    var size = max(actions.count / 2, 1)
    while true {
      var start = 0
      while start < actions.count {
        let count = actions.count
        var candidate = actions
        candidate.removeSubrange(start..<min(start + size, count))
        if !take(scenario, candidate) || actions.count >= count { start += size }
      }
      if size == 1 { return }
      size /= 2
    }
  }

  /// Removes commands of the script, together with their actions in the schedule.
  private mutating func dropCommands() {
    var index = 0
    while index < scenario.script.count {
      var candidate = scenario
      candidate.script.remove(at: index)
      var schedule = actions
      let turns = schedule.indices.filter { schedule[$0].verb == .command }
      if index < turns.count { schedule.remove(at: turns[index]) }
      if !takeAny(candidate, schedule) { index += 1 }
    }
  }

  /// Removes transactions of a restore.
  private mutating func dropListed() {
    var index = 0
    while index < actions.count {
      if actions[index].verb == .listRestored {
        var schedule = actions
        schedule.remove(at: index)
        let count = actions.count
        if takeAny(scenario, schedule), actions.count < count { continue }
      }
      index += 1
    }
  }

  /// Accepts a candidate in which a transaction may be missing: as it is, with the later ones moved
  /// up, or with another one in its place.
  private mutating func takeAny(_ candidate: Scenario, _ schedule: [Action]) -> Bool {
    if take(candidate, schedule) { return true }
    guard let last = schedule.filter(\.isAboutTransaction).map(\.slot).max() else { return false }
    for removed in 0...last {
      if take(candidate, schedule.filter { !$0.isAbout(removed) }.map { $0.movedUp(from: removed) })
      {
        return true
      }
      for other in 0...last where other != removed {
        // The store's answer to the payment stays where it is.
        let renamed = schedule.filter { !$0.isAbout(removed) || $0.verb == .authorize }.map {
          $0.isAbout(other) ? $0.moved(to: removed) : $0
        }
        if take(candidate, renamed) { return true }
      }
    }
    return false
  }

  /// Removes downloads of products.
  private mutating func dropProducts() {
    for index in scenario.products.indices {
      var part = 0
      while part < scenario.products[index].downloads.count {
        var candidate = scenario
        candidate.products[index].downloads.remove(at: part)
        // The later parts move up.
        let isTaken =
          take(candidate, actions)
          || take(candidate, actions.map { Self.moved($0, after: part) })
          || take(
            candidate,
            actions.filter { $0.verb.indexCount < 3 || $0.part != part }
              .map { Self.moved($0, after: part) })
        if !isTaken { part += 1 }
      }
    }
  }

  private static func moved(_ action: Action, after part: Int) -> Action {
    var action = action
    if action.verb.indexCount == 3, Int(action.part) > part { action.part -= 1 }
    return action
  }

  private mutating func simplify() {
    var candidate = scenario
    if seed != 0 {
      // Fixed amounts of progress need fewer reports.
      let drawn = seed
      seed = 0
      if !take(candidate, actions) { seed = drawn }
    }
    candidate.notifies = false
    if scenario.notifies { _ = take(candidate, actions) }
    for index in scenario.owned.indices.reversed() {
      candidate = scenario
      candidate.owned.remove(at: index)
      _ = take(candidate, actions)
    }
    candidate = scenario
    candidate.invalidProducts = []
    if !scenario.invalidProducts.isEmpty { _ = take(candidate, actions) }
  }
}

extension Action {
  fileprivate var isAboutTransaction: Bool {
    verb.indexCount >= 2 && !slot.isAbsent && !isAboutAccount
  }

  fileprivate func isAbout(_ slot: Int16) -> Bool { isAboutTransaction && self.slot == slot }

  fileprivate func moved(to slot: Int16) -> Action {
    var action = self
    action.slot = slot
    return action
  }

  /// The same action after the transaction at `removed` was removed.
  fileprivate func movedUp(from removed: Int16) -> Action {
    isAboutTransaction && slot > removed ? moved(to: slot - 1) : self
  }
}

extension Exploration {
  /// A failing run reduced to a minimal one, as a scenario with its schedule; `nil` if playing the
  /// run again does not break the same rule, which would be a bug in the simulator.
  ///
  /// If a run broke several rules, the one that needs the fewest events is kept.
  ///
  /// - Complexity: O(*n*²) in the number of actions in the worst case.
  public func shrunk(_ failure: Failure) -> Scenario? {
    let first = failure.breaches.first?.rank
    var smallest: Shrinking?
    for breach in failure.breaches where breach.rank == first {
      var shrinking = Shrinking(scenario, policy, failure, breach)
      guard shrinking.isReproduced else { continue }
      shrinking.run()
      if shrinking.eventCount < smallest?.eventCount ?? .max { smallest = shrinking }
    }
    return smallest.map { shrinking in
      var scenario = scenario(of: shrinking.actions, failure, in: shrinking.scenario)
      scenario.seed = shrinking.seed
      return scenario
    }
  }

  /// A failing run as a scenario with its schedule.
  public func scenario(of failure: Failure) -> Scenario {
    scenario(of: failure.actions, failure, in: scenario)
  }

  private func scenario(
    of actions: [Action], _ failure: Failure, in scenario: Scenario
  ) -> Scenario {
    var scenario = scenario
    let ids = failure.breaches.map(\.id).joined(separator: ", ")
    scenario.title = "\(scenario.title): \(policy.name) breaks \(ids)"
    scenario.policy = policy.name
    scenario.seed = failure.seed
    scenario.schedule = actions.map(\.text)
    scenario.expectation = nil
    return scenario
  }
}
