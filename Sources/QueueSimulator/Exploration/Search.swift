internal import LedgerModel

/// The state of one search.
struct Search {
  private let options: Exploration.Options
  private let cast: Cast
  private var judge: Judge
  private(set) var progress = Exploration.Progress()
  private(set) var failure: Exploration.Failure?
  private(set) var counts: [Breach: Int] = [:]
  private var reach: Reach

  init(_ exploration: Exploration) {
    options = exploration.options
    cast = Cast(exploration.scenario, policy: exploration.policy, seed: options.seed)
    judge = Judge(cast)
    reach = Reach(cast)
  }

  var unreached: Exploration.Unreached { reach.unreached(cast, Set(counts.keys)) }

  /// The number of runs between two calls of `goOn`.
  private static let runsBetweenQuestions = 256

  /// Judges a run; returns false if it failed.
  private mutating func judge(
    _ play: Play, isOver: Bool, seed: UInt64, run: Int
  ) -> Bool {
    progress.runs += 1
    progress.events += play.recording.count
    reach.note(play)
    var breaches = Set(
      judge.findings(of: play.recording, isOver: isOver).map {
        Breach.rule($0.rule)
      })
    if isOver { for promise in play.world.brokenPromises() { breaches.insert(.promise(promise)) } }
    for breach in breaches { counts[breach, default: 0] += 1 }
    let wanted = breaches.filter {
      options.breaches.isEmpty
        ? $0.severity >= options.severity : options.breaches.contains($0)
    }
    if wanted.isEmpty { return true }
    failure = Exploration.Failure(
      breaches: wanted.sorted { ($0.rank, $1.severity, $0.id) < ($1.rank, $0.severity, $1.id) },
      seed: seed,
      actions: play.actions, run: run)
    return false
  }
}

extension Search {
  /// A state on the current path, and the choices that remain to be tried from it.
  private struct Branch {
    var play: Play
    var choices: [Action]
  }

  /// Tries every order of all possible actions, depth first, and turns back at states that were
  /// seen before. Returns false if the search has to end.
  mutating func exhaust(_ goOn: (Exploration.Progress) -> Bool) -> Bool {
    var seen: Set<UInt64> = []
    var path = [
      Branch(play: Play(cast, seed: 0, faults: options.faultsWhereAll), choices: [])
    ]
    path[0].choices = choices(path[0].play)
    while var branch = path.popLast() {
      guard let action = branch.choices.popLast() else { continue }
      var play = branch.play
      path.append(branch)
      play.perform(action)
      if progress.states % Self.runsBetweenQuestions == 0, !goOn(progress) { return false }
      if !seen.insert(play.world.fingerprint).inserted {
        if !judge(play, isOver: false, seed: 0, run: 0) { return false }
        continue
      }
      progress.states += 1
      if progress.states >= options.stateCountMax { return true }
      let choices = choices(play)
      if choices.isEmpty || play.actions.count >= options.actionCountMax {
        play.recover()
        if !judge(play, isOver: true, seed: 0, run: 0) { return false }
      } else {
        path.append(Branch(play: play, choices: choices))
      }
    }
    progress.isExhausted = true
    return true
  }

  private func choices(_ play: Play) -> [Action] {
    var play = play
    var choices = play.next()
    play.world.listFaults(&choices)
    return choices
  }

  /// Plays random runs, each with its own seed.
  mutating func tryAtRandom(_ goOn: (Exploration.Progress) -> Bool) {
    for run in 0..<max(options.runCountMax, 0) {
      if run % Self.runsBetweenQuestions == 0, !goOn(progress) { return }
      let (play, seed) = Play.atRandom(run, cast, options)
      if !judge(play, isOver: true, seed: seed, run: run + 1) { return }
    }
  }
}
