/// Where each subject of a unit stands, and what changed of that since somebody last asked.
struct LineSheet {
  private(set) var lines: [ReplaySubject: ReplayStanding] = [:]
  /// By subject that was written: what stood there before.
  private var before: [ReplaySubject: ReplayStanding?] = [:]
  /// How often a line was written: what an event costs.
  private(set) var writeCount = 0

  /// Writes a line, or strikes it out.
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
