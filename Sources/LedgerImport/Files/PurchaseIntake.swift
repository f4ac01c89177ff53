package import LedgerEvents
package import LedgerQueries
package import StoreImport

/// Compares what was read of a file with a ledger, and appends what the ledger lacks.
///
/// What is appended depends on what the ledger knows: the owner of a purchase, its periods, the
/// customers who were erased. The ledger is read before the append and can change in between, and
/// the ids alone would not show it: an owner who became known meanwhile would be overlooked, and a
/// purchase that one notification states as its own fact, and another carries along, recorded under
/// two ids. So each append has a condition, which the ledger checks in the transaction that writes:
/// that nothing about the same purchases or customers was appended since the ledger was read
/// (``RelatedNames``). If something was, the ledger is read again, and the file compared again.
///
/// A lock around reading and appending would do within one process. It would not see what other
/// processes append, and everybody would wait for a disk in turn, where a ledger writes the batches
/// that wait together in one commit.
package struct PurchaseIntake: Sendable {
  /// How often a file is compared again because the ledger changed meanwhile.
  ///
  /// Each time, somebody else's append about the same purchases has succeeded.
  package static let attemptsMax = 20

  /// The ledger to which it appends.
  package let ledger: Ledger
  private let recordsClaims: Bool
  private let clock: @Sendable () -> Instant
  private let noteID: (@Sendable (Instant) -> Name)?

  /// What became of a file.
  package struct Appended: Sendable {
    /// What the file says, compared with what the ledger knew.
    package let outcome: ReceiptImport.Outcome
    /// The results of the append: one for each batch of `batchEventsMax` events.
    package let results: [AppendResult]
  }

  /// Creates an intake for one ledger.
  ///
  /// - Parameters:
  ///   - ledger: The ledger to which it appends.
  ///   - recordsClaims: Whether naming an account for another customer's purchase is recorded as a
  ///     claim; otherwise it is an error.
  ///   - clock: Returns the present time: as of which accounts are linked, and of notes.
  ///   - noteID: Returns a new id for a note about a claim. It must not reveal the account. Nil if
  ///     nobody names an account, so that there are no claims.
  package init(
    _ ledger: Ledger, recordsClaims: Bool = false,
    clock: @escaping @Sendable () -> Instant = EventLog.systemClock,
    noteID: (@Sendable (Instant) -> Name)? = nil
  ) {
    self.ledger = ledger
    self.recordsClaims = recordsClaims
    self.clock = clock
    self.noteID = noteID
  }

  /// Returns what a file says, compared with what the ledger knows, and appends nothing.
  ///
  /// - Parameter file: What was read of the file.
  /// - Throws: ``IntakeFailure``: `file`, `ledger`.
  /// - Complexity: O(*n* log *n*) in what the file says and the ledger knows about its purchases.
  package func outcome(
    of file: any PurchaseImport
  ) throws(IntakeFailure) -> ReceiptImport.Outcome {
    try compared(file, named: "").outcome
  }

  /// Appends what a ledger lacks of a file, and blocks the calling thread until it is durable.
  ///
  /// - Parameters:
  ///   - file: What was read of the file.
  ///   - name: The file's name, for notes and messages. Only the last part of a path is used.
  /// - Throws: ``IntakeFailure``. If there are more events than fit into one batch, the first
  ///   batches may then have been appended: taking the file again doubles nothing.
  /// - Complexity: O(*n* log *n*) in what the file says and the ledger knows about its purchases,
  ///   and one durable commit for each batch.
  @available(*, noasync, message: "blocks its thread")
  package func appendAndWait(
    _ file: any PurchaseImport, named name: String
  ) throws(IntakeFailure) -> Appended {
    for _ in 1...Self.attemptsMax {
      var comparison = try compared(file, named: name)
      var results: [AppendResult] = []
      while let batch = comparison.nextBatch {
        do throws(LedgerError) {
          results.append(
            try ledger.appendAndWait(batch.inputs, options: comparison.appendOptions))
        } catch {
          if comparison.isOutdated(by: error) { break }
          throw Self.failure(error, batch, named: name)
        }
        comparison.note(results[results.count - 1])
      }
      if comparison.nextBatch == nil {
        return Appended(outcome: comparison.outcome, results: results)
      }
    }
    throw .outrun
  }

  /// Reads what the ledger knows, and compares the file with it.
  func compared(
    _ file: any PurchaseImport, named name: String
  ) throws(IntakeFailure) -> LedgerComparison {
    let now = clock()
    var known: [StoreEnvironment: KnownPurchases] = [:]
    var position: UInt64 = 0
    var texts: [Name: Set<String>] = [:]
    do throws(LedgerError) {
      try ledger.read { (view) throws(LedgerError) in
        known = try KnownPurchases.all(of: file, in: view, now: now)
        position = view.position
        for account in file.subjects.flatMap(\.accounts) {
          texts[account] = try view.notes(about: account)
        }
      }
    } catch { throw .ledger(error) }
    let outcome: ReceiptImport.Outcome
    do throws(ImportError) {
      outcome = try file.outcome(known, recordsClaims: recordsClaims)
    } catch { throw .file(error) }
    var notes: [Event] = []
    if let noteID {
      let base = ImportOptions.baseName(of: name)
      notes = Self.notes(of: outcome, named: name, at: now, noteID: noteID).filter { note in
        note.account.flatMap { texts[$0] }?.contains(note.data.string("text") ?? base) != true
      }
    }
    assert(noteID != nil || outcome.claims.isEmpty, "a claim of an account that nobody names")
    return LedgerComparison(
      outcome: outcome, events: outcome.events + notes,
      names: RelatedNames(of: file.subjects, known), position: position)
  }

  /// The claims of a file as events.
  ///
  /// - Parameters:
  ///   - outcome: What the file says.
  ///   - name: The file's name. Only the last part of a path is used.
  ///   - now: The time of the notes.
  ///   - noteID: Returns a new id for a note. It must not reveal the account, which can be erased.
  /// - Complexity: O(*n*) in the number of claims.
  package static func notes(
    of outcome: ReceiptImport.Outcome, named name: String, at now: Instant,
    noteID: (Instant) -> Name
  ) -> [Event] {
    let base = ImportOptions.baseName(of: name)
    return outcome.claims.map { $0.note(id: noteID(now), at: now, fileName: base) }
  }

  /// Returns the failure for an error of an append.
  ///
  /// Nobody can give an event of a file another id: if the ledger has other content under it, two
  /// files contradict each other.
  ///
  /// - Parameters:
  ///   - error: What the append threw.
  ///   - batch: The events that were to be appended.
  ///   - name: The file's name. Only the last part of a path is used.
  /// - Complexity: O(1).
  package static func failure(
    _ error: LedgerError, _ batch: ArraySlice<Event>, named name: String
  ) -> IntakeFailure {
    guard error.code == .conflict else { return .ledger(error) }
    let event = error.index.map { batch[batch.startIndex + $0] }
    let id = event.map { " with the id \($0.id)" } ?? ""
    let position = error.position.map { " at position \($0)" } ?? ""
    return .file(
      ImportError(
        .contradiction, file: ImportOptions.baseName(of: name),
        reason: "it states a fact\(id) that the ledger has in other words\(position)",
        remedy: "Compare the two: daybook events shows the ledger's, and --dry-run the file's"))
  }
}

/// A file compared with a ledger at one position, and how far it is appended.
struct LedgerComparison: Sendable {
  let outcome: ReceiptImport.Outcome
  /// The events of the outcome, and the notes about its claims that the ledger lacks.
  let events: [Event]
  let names: RelatedNames
  /// Up to where the ledger is known: nothing later that is not the file's own may be about it.
  private(set) var position: UInt64
  private var start = 0

  init(outcome: ReceiptImport.Outcome, events: [Event], names: RelatedNames, position: UInt64) {
    self.outcome = outcome
    self.events = events
    self.names = names
    self.position = position
  }

  /// The next events to append; nil if all are appended.
  var nextBatch: ArraySlice<Event>? {
    guard start < events.count else { return nil }
    return events[start..<min(events.count, start + batchEventsMax)]
  }

  var appendOptions: AppendOptions { AppendOptions(condition: names.condition(after: position)) }

  /// Whether an append was refused because of something that came after the ledger was read. An id
  /// with other content can be that, too: the same notification, signed again, is taken at the same
  /// time.
  func isOutdated(by error: LedgerError) -> Bool {
    switch error.code {
    case .conditionFailed: true
    case .conflict: error.position.map { $0 > position } ?? false
    default: false
    }
  }

  /// Notes that the next batch was appended.
  mutating func note(_ result: AppendResult) {
    start += result.outcomes.count
    assert(start <= events.count)
    position = max(position, result.positions?.upperBound ?? position)
  }
}

extension ArraySlice<Event> {
  /// The events for an append.
  package var inputs: [EventInput] { map { EventInput(event: $0) } }
}

extension LedgerView {
  /// The texts of the notes in an account's history.
  fileprivate func notes(about account: Name) throws(LedgerError) -> Set<String> {
    var query = EventsQuery()
    query.account = account
    query.type = "note.added"
    var texts: Set<String> = []
    try events(query) { (recorded) throws(LedgerError) in
      if recorded.event.account == account, let text = recorded.event.data.string("text") {
        texts.insert(text)
      }
      return true
    }
    return texts
  }
}
