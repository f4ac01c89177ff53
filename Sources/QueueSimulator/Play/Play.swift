internal import LedgerEvents

/// A run as it is played: the world, what was recorded, and what happened in which order.
struct Play: Sendable {
  var world: World
  var recording = Recording()
  private(set) var actions: [Action] = []
  /// How many actions of a schedule could not happen when their turn came.
  private(set) var actionsLeftOut = 0
  /// The run was stopped at ``actionCountMax`` actions.
  private(set) var isCutShort = false
  /// What can happen next, as listed last.
  private var choices: [Action] = []
  /// Nothing has changed since that was listed.
  private var isListed = false

  /// - Parameters:
  ///   - seed: What amounts of progress and delays are drawn from; 0 for fixed ones.
  ///   - faults: How many faults may strike beside those of the script.
  init(_ cast: Cast, seed: UInt64, faults: Int) {
    world = World(
      cast, random: SplitMix(seed: seed), drawsProgress: seed != 0, faults: faults)
    actions.reserveCapacity(Self.usualCount)
    choices.reserveCapacity(Self.usualChoiceCount)
  }

  /// Room for the actions of most runs.
  private static let usualCount = 256
  /// Room for what can happen next at most times.
  private static let usualChoiceCount = 16

  /// The most actions of one run; what needs more is going in circles.
  static let actionCountMax = ScenarioLimits.actionCountMax

  /// Makes an action happen after its usual delay.
  mutating func perform(_ action: Action) {
    world.clock += Delays.range(of: action.verb).least
    happen(action)
  }

  private mutating func happen(_ action: Action) {
    if world.perform(action, &recording) { isListed = false }
    actions.append(action)
  }

  /// What can happen next but faults.
  mutating func next() -> [Action] {
    list()
    return choices
  }

  private mutating func list() {
    if !isListed { world.listActions(&choices, recording) }
    isListed = true
    assert(isListedRight())
  }

  /// What was listed is what a world that remembers nothing lists.
  private func isListedRight() -> Bool {
    var world = world
    world.forgetCallers()
    var anew: [Action] = []
    world.listActions(&anew, recording)
    return choices == anew
  }
}

extension Play {
  /// Plays a list of actions; those that cannot happen when it is their turn are left out.
  mutating func play(_ schedule: [Action]) {
    for action in schedule {
      if world.canPerform(action, recording) { perform(action) } else { actionsLeftOut += 1 }
    }
  }

  /// Plays what comes by the clock: each thing that can happen is given its moment when it first
  /// can, and the earliest goes next.
  mutating func playByClock() {
    var moments: [Action: Int64] = [:]
    while actions.count < Self.actionCountMax {
      let choices = next()
      var due: [Action: Int64] = [:]
      var first: (action: Action, moment: Int64)?
      for action in choices {
        let moment = moments[action] ?? self.moment(of: action)
        due[action] = moment
        if first.map({ moment < $0.moment }) ?? true { first = (action, moment) }
      }
      guard let first, first.moment < .max else { return }
      moments = due
      moments[first.action] = nil
      world.clock = max(world.clock, first.moment)
      happen(first.action)
    }
    isCutShort = true
  }

  private mutating func moment(of action: Action) -> Int64 {
    if action.verb == .command {
      switch world.cast.script[world.cursor].moment {
      case .at(let time): return max(world.clock, world.cast.scenario.start.microseconds + time)
      case .on: return world.clock
      }
    }
    // Whoever is away is brought back by the script, or not at all.
    if action.verb == .launch || action.verb == .foreground { return .max }
    let range = Delays.range(of: action.verb)
    let spread = Int(range.most - range.least)
    return world.clock + range.least
      + (world.drawsProgress ? Int64(world.random.below(spread + 1)) : Int64(spread / 2))
  }
}

extension Play {
  /// Plays at random: whatever can happen next is as likely as anything else, a fault comes once
  /// in `faultInterval` actions while the budget lasts.
  mutating func playAtRandom(_ random: inout SplitMix, actionCountMax: Int, faultInterval: Int) {
    var faults: [Action] = []
    faults.reserveCapacity(Self.usualChoiceCount)
    while actions.count < actionCountMax {
      if world.faultsLeft > 0, random.below(faultInterval) == 0 {
        faults.removeAll(keepingCapacity: true)
        world.listFaults(&faults)
        if !faults.isEmpty {
          perform(faults[random.below(faults.count)])
          continue
        }
      }
      list()
      if choices.isEmpty { return }
      perform(choices[random.below(choices.count)])
    }
  }

  /// How often the app is opened anew when the faults have stopped.
  private static let launchesAfterFaults = 2

  /// The faults stop: everything goes on until nothing is left to happen, and the customer opens
  /// the app again, two days later each time.
  mutating func recover() {
    perform(Action(.calm))
    performUntilQuiet()
    for _ in 0..<Self.launchesAfterFaults {
      perform(Action(.wait))
      for device in world.devices.indices where world.devices[device].session > 0 {
        if world.devices[device].app != .notRunning { perform(Action(.kill, device: device)) }
      }
      performUntilQuiet()
    }
  }

  private mutating func performUntilQuiet() {
    while actions.count < Self.actionCountMax {
      list()
      // The script's next command, which stands first, waits until all else has happened.
      guard let action = choices.last else { return }
      perform(action)
    }
    isCutShort = true
  }
}
