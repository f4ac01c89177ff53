internal import LMDB
internal import LedgerEvents
internal import LedgerModel
internal import Synchronization

/// Whether the balance of a customer covers a consumption that requires it: asked by the log's
/// writer, inside the transaction that would append it.
final class ConsumptionJudge: Sendable {
  private let log: EventLog
  private let source: ProjectionSource
  private let held = Mutex<Held>(Held())

  /// Used by the writer's thread alone.
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
    let reader = try catchUp(held, projections, reading.view, view, pending.batch.lowerBound - 1)
    let batch = try pending.batch.map { (position) throws(LedgerError) in
      try view.fact(at: position)
    }
    let earlier = try earlierFacts(batch, reader, view, projections.tables, reading.view)
    // Where the batch only consumes, what it leaves in the end is the least that it leaves.
    let onlyConsumes = batch.allSatisfy { $0.kind == .consumableConsumed }
    let moments = onlyConsumes ? [pending.batch.upperBound] : pending.required
    for end in moments {
      let book = Book(folding: earlier + batch.filter { $0.position <= end }, texts: reader.texts)
      try reader.texts.check()
      for fact in batch where fact.position <= end && pending.required.contains(fact.position) {
        try check(fact, in: book)
      }
    }
  }

  private func check(_ fact: Fact, in book: Book) throws(LedgerError) {
    guard let wanted = fact.detail?.fields, let unit = wanted.unit else { return }
    let subject: Subject =
      fact.transaction != 0 ? .transaction(fact.transaction) : .account(fact.account)
    let environment =
      book.unit(of: fact.account)?.environment(of: fact) ?? fact.environment ?? .production
    let left =
      book.answer(subject, environments: EnvironmentSet(environment), at: fact.occurredAt)
      .balances.first { $0.unit == unit }?.amount ?? 0
    guard left < 0 else { return }
    throw LedgerError(
      .notCovered,
      """
      \(wanted.amount) \(unit) cannot be consumed: the balance is \(left + wanted.amount). Append \
      it without `required` if it has happened all the same.
      """, position: fact.position)
  }

  /// What the ledger knows of everyone in the batch, and what the shared context rests on.
  private func earlierFacts(
    _ batch: [Fact], _ reader: ReaderState, _ view: LogView, _ tables: ProjectionTables,
    _ reading: TransactionView
  ) throws(LedgerError) -> [Fact] {
    var units: Set<UInt32> = []
    for fact in batch {
      for node in UnitNodes(fact) {
        if let unit = try reader.overlay.unit(of: node, tables, reading) { units.insert(unit) }
      }
    }
    units.insert(IndexKey.contextUnit)
    var facts: [UInt64: Fact] = [:]
    for unit in units {
      for fact in try reader.overlay.allFacts(of: unit, view, tables, reading) {
        facts[fact.position] = fact
      }
    }
    return Array(facts.values)
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
    try reader.overlay.extend(
      through: committed, view, reader.texts, reader.keyHash, projections.tables, reading)
    return reader
  }
}
