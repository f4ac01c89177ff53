internal import LedgerEvents

/// A run in progress: the world, the recording, and the actions so far.
struct Play: Sendable {
  var world: World
  var recording = Recording()
  private(set) var actions: [Action] = []
  /// How many actions of a schedule could not happen when their turn came.
  private(set) var actionsLeftOut = 0
  /// Whether the run was stopped at ``actionCountMax`` actions.
  private(set) var isCutShort = false
  /// The actions that can happen next, as last listed.
  private var choices: [Action] = []
  /// Whether nothing has changed since the choices were listed.
  private var isListed = false

  /// - Parameters:
  ///   - seed: The seed of the amounts of progress and of the delays; 0 for fixed ones.
  ///   - faults: How many faults may strike in addition to those of the script.
  init(_ cast: Cast, seed: UInt64, faults: Int) {
    world = World(
      cast, random: SplitMix(seed: seed), drawsProgress: seed != 0, faults: faults)
    actions.reserveCapacity(Self.usualCount)
    choices.reserveCapacity(Self.usualChoiceCount)
  }

  /// The capacity reserved for actions, which is enough for most runs.
  private static let usualCount = 256
  /// The capacity reserved for choices.
  private static let usualChoiceCount = 16

  /// The maximum number of actions in one run. A run that needs more is going in circles.
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

  /// Everything that can happen next, except faults.
  mutating func next() -> [Action] {
    list()
    return choices
  }

  private mutating func list() {
    if !isListed { world.listActions(&choices, recording) }
    isListed = true
    assert(isListedRight())
  }

  /// Whether the list equals one that is made from scratch.
  private func isListedRight() -> Bool {
    var world = world
    world.forgetCallers()
    var anew: [Action] = []
    world.listActions(&anew, recording)
    return choices == anew
  }
}

extension Play {
  /// Plays a list of actions. Actions that cannot happen when it is their turn are left out.
  mutating func play(_ schedule: [Action]) {
    for action in schedule {
      if world.canPerform(action, recording) { perform(action) } else { actionsLeftOut += 1 }
    }
  }

  /// Plays by the clock: each action is given a time when it first becomes possible, and the
  /// earliest one happens next.
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
    // Only the script brings the app back.
    if action.verb == .launch || action.verb == .foreground { return .max }
    let range = Delays.range(of: action.verb)
    let spread = Int(range.most - range.least)
    return world.clock + range.least
      + (world.drawsProgress ? Int64(world.random.below(spread + 1)) : Int64(spread / 2))
  }
}

extension Play {
  /// Plays at random: every possible action is equally likely, and one action in `faultInterval` is
  /// a fault while faults are left.
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

  /// How often the app is launched again after the faults have stopped.
  private static let launchesAfterFaults = 2

  /// The faults stop. Everything continues until nothing can happen, and the customer launches the
  /// app again, two days later each time.
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
    signInThoseWhoAreOwed()
  }

  /// A restore delivers only the purchases of the customer who is signed in. So other customers who
  /// miss something on a device sign in there, one after the other.
  private mutating func signInThoseWhoAreOwed() {
    for device in world.devices.indices {
      for account in world.cast.scenario.accounts.indices {
        let signIn = Action(.switchAccount, device: device, slot: account)
        guard world.isOwed(account, on: device), world.canStrike(signIn) else { continue }
        perform(signIn)
        performUntilQuiet()
      }
    }
  }

  private mutating func performUntilQuiet() {
    while actions.count < Self.actionCountMax {
      list()
      // The script's next command comes first in the list and waits until everything else is done.
      guard let action = choices.last else { return }
      perform(action)
    }
    isCutShort = true
  }
}
