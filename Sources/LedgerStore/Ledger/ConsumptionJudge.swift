internal import LMDB
internal import LedgerEvents
internal import LedgerModel
internal import Synchronization

/// Checks that a customer's balance covers a consumption that requires it. The log's writer calls
/// it inside the transaction that would append the consumption.
final class ConsumptionJudge: Sendable {
  private let log: EventLog
  private let source: ProjectionSource
  private let held = Mutex<Held>(Held())

  /// Used only by the writer's thread.
  private final class Held: @unchecked Sendable {
    var reader: ReaderState?
  }

  init(_ log: EventLog, _ source: ProjectionSource) {
    self.log = log
    self.source = source
  }

  /// - Throws: ``LedgerError``: `notCovered`.
  func check(_ pending: PendingConsumptions, _ view: LogView) throws(LedgerError) {
    guard let projections = try source.live() else {
      throw LedgerError(
        .rebuildNeeded, "A required consumption needs the projections: run `daybook rebuild`.")
    }
    let held = held.withLock { $0 }
    let reading = try projections.beginRead()
    // The reader keeps only what is committed: an earlier batch of the same commit may still be
    // lost together with this one, and its positions and numbers are then assigned again.
    let (committed, committedName) = try log.read { (log) throws(LedgerError) in
      (log.lastPosition, try log.lastNameNumber())
    }
    let reader = try catchUp(held, projections, reading.view, view, committed)
    let texts = try TentativeTexts(reader.texts, after: committed, committedName, view)
    let recent = try (committed + 1...pending.batch.upperBound).map {
      (position) throws(LedgerError) in try view.fact(at: position)
    }
    var facts = try committedFacts(recent, reader, view, projections.tables, reading.view)
    facts += recent.filter { $0.position < pending.batch.lowerBound }
    let batch = recent.filter { $0.position >= pending.batch.lowerBound }
    let required = Set(pending.required)
    // If the batch contains only consumptions, no balance within it is lower than at its end.
    if batch.allSatisfy({ $0.kind == .consumableConsumed }) {
      let ledger = InMemoryLedger(folding: facts + batch, texts: texts)
      try reader.texts.check()
      let consumptions = Consumptions(batch.filter { required.contains($0.position) })
      if consumptions.facts.allSatisfy({ shortage($0, in: ledger) == nil }) { return }
    }
    var ledger = InMemoryLedger(folding: facts, texts: texts)
    var rest = batch[...]
    for end in pending.required {
      let next = rest.prefix { $0.position <= end }
      rest = rest.dropFirst(next.count)
      ledger.append(Array(next))
      try reader.texts.check()
      // Each consumption is checked once, against the events before it: later ones may use up what
      // was left for it.
      guard let fact = next.last, let balance = shortage(fact, in: ledger) else { continue }
      throw Self.notCovered(fact, balance)
    }
  }

  /// Required consumptions, one for each balance: a balance is the same at every moment.
  private struct Consumptions {
    private struct Balance: Hashable {
      let account: NameNumber
      let transaction: NameNumber
      let session: NameNumber
      let environment: StoreEnvironment?
      let unit: Name?
    }

    private(set) var facts: [Fact] = []
    private var known: Set<Balance> = []

    init(_ facts: [Fact]) {
      for fact in facts { add(fact) }
    }

    private mutating func add(_ fact: Fact) {
      let balance = Balance(
        account: fact.account, transaction: fact.transaction, session: fact.session,
        environment: fact.environment, unit: fact.detail?.fields.unit)
      if known.insert(balance).inserted { facts.append(fact) }
    }
  }

  /// Returns the balance before a required consumption if it does not cover that; otherwise `nil`.
  private func shortage(_ fact: Fact, in ledger: InMemoryLedger) -> Int64? {
    guard let wanted = fact.detail?.fields, let name = wanted.unit,
      let unit = ledger.unit(of: fact.account)
    else { return nil }
    let transaction = unit.transaction(of: fact)
    let subject: Subject =
      transaction != 0 ? .transaction(transaction) : .account(fact.account)
    let environments = EnvironmentSet(unit.environment(of: fact) ?? .production)
    // If nobody owns the subject, there is no balance, and its consumption counts for no customer.
    if unit.accounts(of: subject, environments: environments).isEmpty { return 0 }
    let left =
      ledger.answer(subject, environments: environments, at: fact.occurredAt)
      .balances.first { $0.unit == name }?.amount ?? 0
    return left < 0 ? left.addingReportingOverflow(wanted.amount).partialValue : nil
  }

  private static func notCovered(_ fact: Fact, _ balance: Int64) -> LedgerError {
    let fields = fact.detail?.fields
    return LedgerError(
      .notCovered,
      """
      \(fields?.amount ?? 0) \(fields?.unit ?? "") cannot be consumed: the balance is \(balance). \
      Append it without `required` if it has happened all the same.
      """, position: fact.position)
  }

  /// Returns the committed facts of the units that the recent facts touch, and those from which the
  /// fold context is made.
  private func committedFacts(
    _ recent: [Fact], _ reader: ReaderState, _ view: LogView, _ tables: ProjectionTables,
    _ reading: TransactionView
  ) throws(LedgerError) -> [Fact] {
    var units: Set<UInt32> = []
    for fact in recent {
      for node in UnitNodes(fact) {
        if let unit = try reader.overlay.unit(of: node, tables, reading) { units.insert(unit) }
      }
    }
    units.insert(IndexKey.contextUnit)
    var facts: [Fact] = []
    for unit in units {
      facts = facts.merged(
        with: try reader.overlay.facts(of: unit, .all, view, tables, reading))
    }
    return facts
  }

  private func catchUp(
    _ held: Held, _ projections: Projections, _ reading: TransactionView, _ view: LogView,
    _ committed: UInt64
  ) throws(LedgerError) -> ReaderState {
    let stored = try Checkpoint(reading, projections.tables)
    let isUsable =
      held.reader.map {
        $0.overlay.checkpoint == stored && $0.overlay.through <= committed
      } ?? false
    if !isUsable {
      held.reader = try ReaderState(log, projections, reading, view)
    }
    guard let reader = held.reader else {
      throw LedgerError(
        .rebuildNeeded, "A required consumption needs the projections: run `daybook rebuild`.")
    }
    do throws(LedgerError) {
      try reader.overlay.extend(
        through: committed, view, reader.keyHash, projections.tables, reading)
    } catch {
      held.reader = nil
      throw error
    }
    return reader
  }
}

/// The texts of the committed log, and of what was written after it and is not yet committed.
private struct TentativeTexts: FactTexts {
  private let committed: LogTexts
  private var names: [NameNumber: Name] = [:]
  private var ids: [UInt64: Name] = [:]

  init(
    _ committed: LogTexts, after position: UInt64, _ number: NameNumber, _ view: LogView
  ) throws(LedgerError) {
    self.committed = committed
    for position in position + 1..<max(position, view.lastPosition) + 1 {
      let record = try view.record(at: position, isChecked: false)
      do throws(RecordError) { ids[position] = try record.id() } catch {
        throw LedgerError(error, at: position)
      }
    }
    for number in number + 1..<max(number, try view.lastNameNumber()) + 1 {
      names[number] = try view.name(number).name
    }
  }

  func id(ofPosition position: UInt64) -> Name {
    ids[position] ?? committed.id(ofPosition: position)
  }

  func text(of number: NameNumber) -> Name { names[number] ?? committed.text(of: number) }
}
