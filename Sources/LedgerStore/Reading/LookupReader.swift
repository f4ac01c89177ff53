internal import LMDB
internal import LedgerEvents
internal import LedgerModel
internal import RunStorage

/// One reader of a lookup: a snapshot of the projections and one of the log. It releases them
/// between questions, so that pages can be reused, and renews them for the next question.
struct LookupReader: ~Copyable {
  /// A commit of the projections and one of the log that had no events after the projections.
  private struct FoldedCommits {
    var projections: Int
    var log: Int
    var position: UInt64
    /// The believed time of the newest event from which the shared context is made.
    var contextNewest: Int64
  }

  /// What a row of the table of answers says.
  private enum Stored {
    case answer(ItemAnswer)
    /// The account has no row.
    case noRow
    /// The account's unit decides.
    case undecided
  }

  private let log: EventLog
  private let source: ProjectionSource
  private let projections: Projections
  private let people: NameSeal
  private var reading: ReadTransaction
  private var snapshot: LogSnapshot
  private var foldedCommits: FoldedCommits?

  init(
    _ log: EventLog, _ source: ProjectionSource, _ projections: Projections, _ people: NameSeal
  ) throws(LedgerError) {
    let reading = try projections.beginRead()
    let snapshot = try log.snapshot()
    self.log = log
    self.source = source
    self.projections = projections
    self.people = people
    self.reading = reading
    self.snapshot = snapshot
  }

  /// Answers from everything that is in the log now; `nil` if the projections have been replaced.
  mutating func answer(
    _ question: ItemQuestion, _ tail: LookupTail
  ) throws(LedgerError) -> ItemAnswer? {
    defer { letGo() }
    if let answer = try foldedAnswer(question) { return answer }
    return try tail.withTail { (held) throws(LedgerError) in
      // Snapshots that are renewed inside the lock only move forward for the tail.
      try renewProjections()
      try snapshot.renew()
      return try answer(question, held, waits: true)
    }
  }

  /// Answers from what is stored, if no event after the projections is about the account; `nil` if
  /// that cannot give the answer, somebody else uses the tail, or much is missing in it.
  mutating func storedAnswer(
    _ question: ItemQuestion, _ tail: LookupTail
  ) throws(LedgerError) -> ItemAnswer? {
    defer { letGo() }
    if let answer = try foldedAnswer(question) { return answer }
    return try tail.withFreeTail { (held) throws(LedgerError) in
      try renewProjections()
      try snapshot.renew()
      return try answer(question, held, waits: false)
    }
  }

  /// Answers while the log has no events after the projections; `nil` if a row cannot give the
  /// answer, or the log has grown.
  private mutating func foldedAnswer(
    _ question: ItemQuestion
  ) throws(LedgerError) -> ItemAnswer? {
    try renewProjections()
    // The number of the log's last commit is cheaper than a snapshot of it. It is read after the
    // projections', so the log has everything up to their checkpoint.
    guard let foldedCommits, foldedCommits.projections == reading.id,
      foldedCommits.log == (try log.lastCommit())
    else { return nil }
    return try foldedAnswer(question, foldedCommits)
  }

  private mutating func foldedAnswer(
    _ question: ItemQuestion, _ foldedCommits: FoldedCommits
  ) throws(LedgerError) -> ItemAnswer? {
    switch try storedAnswer(question, foldedCommits, nil) {
    case .answer(let answer): return answer
    case .undecided: return nil
    case .noRow:
      try snapshot.renew()
      guard snapshot.commit == foldedCommits.log, try !isIndexed(question.account) else {
        return nil
      }
      return .unknown(at: foldedCommits.position)
    }
  }

  /// Takes the newest snapshot of the projections. The log's is taken after it, so that it contains
  /// everything up to their checkpoint.
  private mutating func renewProjections() throws(LedgerError) {
    do throws(LMDBError) { try reading.renew() } catch { throw LedgerError(ofProjections: error) }
  }

  private mutating func letGo() {
    reading.reset()
    snapshot.reset()
  }

  /// Answers from everything that is in the log now; `nil` if the projections have been replaced.
  /// Somebody who does not wait also gets `nil` if many events are missing in the tail, or if the
  /// account's unit has to be folded.
  private mutating func answer(
    _ question: ItemQuestion, _ held: HeldTail, waits: Bool
  ) throws(LedgerError) -> ItemAnswer? {
    let state: ReaderState
    do {
      let view = try snapshot.view
      // While a rebuild switches, its generation is read before the log names it.
      guard try view.generation() <= projections.generation, source.isCurrent(projections) else {
        return nil
      }
      let caughtUp = try held.catchUp(
        log, projections, reading.view, view,
        eventsMax: waits ? .max : HeldTail.nearEventsMax, beginsAfresh: waits)
      guard let caughtUp else { return nil }
      state = caughtUp
    }
    let now = FoldedCommits(
      projections: reading.id, log: snapshot.commit, position: state.overlay.through,
      contextNewest: state.overlay.context.newest)
    let isTailEmpty = state.overlay.isEmpty
    foldedCommits = isTailEmpty ? now : nil
    switch try storedAnswer(question, now, isTailEmpty ? nil : state) {
    case .answer(let answer): return answer
    case .noRow where isTailEmpty:
      // A row whose key is damaged is not found. If the index knows the account's name, the answer
      // comes from its unit.
      if try !isIndexed(question.account) { return .unknown(at: now.position) }
    case .noRow, .undecided: break
    }
    guard waits else { return nil }
    return try LedgerView(
      log: try snapshot.view, projections: reading.view, tables: projections.tables, reader: state
    ).itemAnswer(question)
  }

  /// The answer that the account's row gives.
  ///
  /// - Parameter tail: The events after the projections; `nil` if there are none.
  /// - Complexity: one `get`.
  private func storedAnswer(
    _ question: ItemQuestion, _ now: FoldedCommits, _ tail: ReaderState?
  ) throws(LedgerError) -> Stored {
    let key = people.answerKey(of: question.account)
    guard let found = try projections.tables.answers.row(key.span, reading.view) else {
      return .noRow
    }
    let row = try StoredAnswer(found)
    if let at = question.at?.microseconds {
      if at < row.newest || at < now.contextNewest { return .undecided }
      if row.isDivided, try at < newestEvent(ofDivided: row.unit) { return .undecided }
    }
    if let tail, row.isCoupled || tail.overlay.units.touches(row.unit) { return .undecided }
    return .answer(try ItemAnswer(row, question, position: now.position))
  }

  /// The believed time of a unit's newest event, by the unit's own row; `.max` if there is none.
  private func newestEvent(ofDivided unit: UInt32) throws(LedgerError) -> Int64 {
    let key = bigEndianKey(unit)
    guard let row = try projections.tables.units.row(key.span, reading.view) else { return .max }
    return try UnitRow.newestEvent(row)
  }

  /// Whether the index of names contains an account of that name that was not erased.
  ///
  /// - Complexity: O(*r* log *n*) for *r* runs of the index.
  private func isIndexed(_ account: Name) throws(LedgerError) -> Bool {
    let view = try snapshot.view
    let use = NameUse(kind: .account, name: account)
    let hash = try view.nameHash(use, log.identity.keyHash)
    let index = try projections.tables.wholeNames(in: reading.view)
    let numbers: [NameNumber]
    do throws(RunsError) {
      numbers = try index.values(of: IndexKey.of(hash), in: reading.view)
    } catch {
      throw LedgerError(error)
    }
    for number in numbers {
      if try view.isName(number, use), try !view.isErased(name: number) { return true }
    }
    return false
  }
}
