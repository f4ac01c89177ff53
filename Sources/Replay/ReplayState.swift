internal import LedgerEvents
internal import LedgerModel

/// What a replay shows of a fold: the standing of each subject, written again only if a fact or
/// time can have changed it.
struct ReplayState {
  private var units: [UnitNumber: UnitLines] = [:]
  /// The units that time alone changes, and when, by environment.
  private var due: [StoreEnvironment: Heap<Due>] = [:]
  /// The moments for which the lines were written.
  private var moments: [StoreEnvironment: Int64] = [:]
  /// How many lines have been written so far, which measures the cost of the events.
  private(set) var writeCount = 0

  private struct Due: Comparable {
    var moment: Int64
    var unit: UnitNumber

    static func < (left: Self, right: Self) -> Bool { left.moment < right.moment }
  }

  init() {}

  /// Updates the lines after facts were appended to the ledger, and returns the changes by subject.
  ///
  /// - Complexity: O(*k* log *n*) in what the facts and the time since then touched; O(*n* log *n*)
  ///   in the size of the units that were folded from the start.
  mutating func update(_ replay: ReplayLedger, with facts: ArraySlice<Fact>) -> [ReplayChange] {
    var changes = StandingChanges()
    let units = replay.ledger.lastChanges
    for absorbed in units.absorbed {
      guard let lines = self.units.removeValue(forKey: absorbed) else { continue }
      changes.remove(lines.sheet.lines)
    }
    var isRewritten = units.foldedAnew
    var touched: [UnitNumber: [Fact]] = [:]
    for fact in facts {
      guard let number = replay.ledger.unitNumber(of: fact) else { continue }
      if Unit.movesHoldings(fact) || self.units[number] == nil {
        isRewritten.insert(number)
      } else {
        touched[number, default: []].append(fact)
      }
    }
    if isTurnedBack(replay) { isRewritten.formUnion(self.units.keys) }
    // Remove all former lines first: a subject may have come from another of these units.
    for number in isRewritten {
      if let before = self.units.removeValue(forKey: number) { changes.remove(before.sheet.lines) }
    }
    for number in isRewritten { rewrite(number, replay, &changes) }
    for (number, facts) in touched where !isRewritten.contains(number) {
      write(number, replay, &changes) { lines, unit in lines.write(facts, of: unit, replay) }
    }
    writeDue(replay, &changes)
    return changes.sorted
  }

  /// Whether the newest event of an environment is earlier than before. This happens if facts show
  /// that the former newest event belongs elsewhere.
  private mutating func isTurnedBack(_ replay: ReplayLedger) -> Bool {
    var isTurnedBack = false
    for environment in StoreEnvironment.allCases {
      let now = replay.moment(of: environment)
      if let before = moments[environment], now.map({ $0 < before }) ?? true { isTurnedBack = true }
      moments[environment] = now
    }
    return isTurnedBack
  }

  private mutating func rewrite(
    _ number: UnitNumber, _ replay: ReplayLedger, _ changes: inout StandingChanges
  ) {
    guard !replay.isBackground(number), let unit = replay.ledger.unit(numbered: number) else {
      return
    }
    var lines = UnitLines(unit, replay)
    writeCount += lines.sheet.writeCount
    _ = lines.takeChanges()
    changes.add(lines.sheet.lines)
    noteDues(of: &lines, number)
    units[number] = lines
  }

  private mutating func write(
    _ number: UnitNumber, _ replay: ReplayLedger, _ changes: inout StandingChanges,
    _ body: (inout UnitLines, Unit) -> Void
  ) {
    // Take the lines out of the dictionary, so that they change in place.
    guard var lines = units.removeValue(forKey: number),
      let unit = replay.ledger.unit(numbered: number)
    else { return }
    let before = lines.sheet.writeCount
    body(&lines, unit)
    writeCount += lines.sheet.writeCount - before
    changes.add(lines.takeChanges())
    noteDues(of: &lines, number)
    units[number] = lines
  }

  private mutating func noteDues(of lines: inout UnitLines, _ number: UnitNumber) {
    for (environment, moment) in lines.takeNewDues() {
      due[environment, default: Heap()].insert(Due(moment: moment, unit: number))
    }
  }

  private mutating func writeDue(_ replay: ReplayLedger, _ changes: inout StandingChanges) {
    for environment in StoreEnvironment.allCases {
      guard let now = replay.moment(of: environment) else { continue }
      while let first = due[environment]?.first, first.moment <= now {
        due[environment]?.removeFirst()
        guard units[first.unit]?.waits(for: first.moment, in: environment) ?? false else {
          continue
        }
        write(first.unit, replay, &changes) { lines, unit in
          lines.writeDue(in: environment, of: unit, replay)
        }
      }
    }
  }
}

/// What changes between two events: the first and the last standing of each subject.
private struct StandingChanges {
  private var first: [ReplaySubject: ReplayStanding?] = [:]
  private var last: [ReplaySubject: ReplayStanding] = [:]

  /// Removes the lines of a unit, before they are written again or for good.
  mutating func remove(_ lines: [ReplaySubject: ReplayStanding]) {
    for (subject, standing) in lines {
      if first[subject] == nil { first[subject] = .some(standing) }
      last[subject] = nil
    }
  }

  mutating func add(_ lines: [ReplaySubject: ReplayStanding]) {
    for (subject, standing) in lines {
      if first[subject] == nil { first[subject] = .some(nil) }
      last[subject] = standing
    }
  }

  mutating func add(_ changes: [ReplayChange]) {
    for change in changes {
      if first[change.subject] == nil { first[change.subject] = .some(change.before) }
      last[change.subject] = change.after
    }
  }

  /// In the order of subjects.
  var sorted: [ReplayChange] {
    first.compactMap { subject, before in
      let after = last[subject]
      return before == after ? nil : ReplayChange(subject: subject, before: before, after: after)
    }.sorted { $0.subject < $1.subject }
  }
}
