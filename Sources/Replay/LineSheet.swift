/// The standing of each subject of a unit, and what has changed since the changes were last taken.
struct LineSheet {
  private(set) var lines: [ReplaySubject: ReplayStanding] = [:]
  /// The former standings of the subjects that were written.
  private var before: [ReplaySubject: ReplayStanding?] = [:]
  /// How often a line was written, which measures the cost of an event.
  private(set) var writeCount = 0

  /// Writes a line, or removes it.
  mutating func set(_ standing: ReplayStanding?, for subject: ReplaySubject) {
    writeCount += 1
    let former = lines[subject]
    if former == standing { return }
    if before[subject] == nil { before[subject] = .some(former) }
    lines[subject] = standing
  }

  /// The lines that changed since the last call, in any order.
  mutating func takeChanges() -> [ReplayChange] {
    if before.isEmpty { return [] }
    defer { before.removeAll(keepingCapacity: true) }
    return before.compactMap { subject, former in
      let standing = lines[subject]
      return former == standing
        ? nil : ReplayChange(subject: subject, before: former, after: standing)
    }
  }
}
