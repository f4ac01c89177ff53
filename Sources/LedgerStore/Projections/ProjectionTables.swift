internal import LMDB
package import RunStorage

/// The tables of a generation of projections, all computed from the log. Everything in them has a
/// checksum: the checkpoint, each row and each block of a run.
struct ProjectionTables: Sendable {
  /// The checkpoint and other single values.
  let meta: Table
  /// Unit (4 bytes, big-endian) to `UnitRow`.
  let units: RowTable
  /// Unit, environment, table and page (10 bytes) to the rows of that page: see `Unit+Pages.swift`.
  /// Only divided units have pages.
  let pages: RowTable
  /// Unit (4 bytes, big-endian) of a divided unit to its `KeptReport`.
  let reports: RowTable
  /// Name number / 500 (8 bytes) to the parents of 500 names: see `UnitParents`.
  let unitMap: RowTable
  /// Keyed hash of an account's text (16 bytes) to `AnswerRow`.
  let answers: RowTable
  /// Coupling (6 bytes) and unit (4 bytes) to a flag: whether the unit writes it.
  let couplings: RowTable
  /// Environment (1 byte), product (4 bytes) and unit (4 bytes) that observed it, to the version on
  /// offer by what that unit observed; empty if it saw none.
  let observed: RowTable
  /// Level and block of positions to the earliest `recordedAt` in it: see `RecordedTimes`.
  let recorded: RowTable
  /// Keyed hash of an event's id to its position.
  let ids: SortedRuns
  /// Keyed hash of a name to its number.
  let names: SortedRuns
  /// Unit and position of each event, in one key.
  let postings: SortedRuns

  /// The number of tables that the environment must have room for.
  static let count = 14

  /// Opens the tables of `environment`, and creates those that are missing.
  init(creatingIn environment: Environment) throws(LedgerError) {
    do throws(LMDBError) {
      meta = try environment.createTable("meta")
      units = try RowTable("units", createdIn: environment)
      pages = try RowTable("pages", createdIn: environment)
      reports = try RowTable("reports", createdIn: environment)
      unitMap = try RowTable("unitMap", createdIn: environment)
      answers = try RowTable("answers", createdIn: environment)
      couplings = try RowTable("couplings", createdIn: environment)
      observed = try RowTable("observed", createdIn: environment)
      recorded = try RowTable("recorded", createdIn: environment)
    } catch { throw LedgerError(ofProjections: error) }
    do throws(RunsError) {
      ids = try SortedRuns.create("ids", in: environment)
      names = try SortedRuns.create("names", in: environment)
      postings = try SortedRuns.create("postings", in: environment)
    } catch { throw LedgerError(error) }
  }

  /// Opens the tables of `environment`; `nil` if its creation was interrupted.
  init?(of environment: Environment) throws(LedgerError) {
    do throws(LMDBError) {
      guard let meta = try environment.table("meta"),
        let units = try RowTable("units", of: environment),
        let pages = try RowTable("pages", of: environment),
        let reports = try RowTable("reports", of: environment),
        let unitMap = try RowTable("unitMap", of: environment),
        let answers = try RowTable("answers", of: environment),
        let couplings = try RowTable("couplings", of: environment),
        let observed = try RowTable("observed", of: environment),
        let recorded = try RowTable("recorded", of: environment)
      else { return nil }
      (self.meta, self.units, self.unitMap) = (meta, units, unitMap)
      (self.pages, self.reports) = (pages, reports)
      (self.answers, self.couplings) = (answers, couplings)
      (self.observed, self.recorded) = (observed, recorded)
    } catch { throw LedgerError(ofProjections: error) }
    do throws(RunsError) {
      guard let ids = try SortedRuns.open("ids", in: environment),
        let names = try SortedRuns.open("names", in: environment),
        let postings = try SortedRuns.open("postings", in: environment)
      else { return nil }
      (self.ids, self.names, self.postings) = (ids, names, postings)
    } catch { throw LedgerError(error) }
  }
}

extension LedgerError: RunsFailure {
  /// Creates the ledger's error for a fault in a run. Projections can be rebuilt.
  package init(_ error: RunsError) {
    self =
      if let cause = error.cause {
        LedgerError(ofProjections: cause)
      } else {
        .damagedProjections("An index of the projections is damaged", cause: error)
      }
  }

  /// Creates the ledger's error for an LMDB error in projections. Their damage is not damage to the
  /// ledger.
  init(ofProjections error: LMDBError) {
    let found = LedgerError(error)
    let isDamage =
      switch (found.code, error.code) {
      case (.corrupt, _), (.unknownFormat, _), (.noLedger, _): true
      // Dangling page references and pages without room come from overwritten pages.
      case (_, .cursorFull), (_, .pageFull): true
      default: false
      }
    self =
      isDamage
      ? .damagedProjections("The projections are damaged (\(error.message))", cause: error) : found
  }
}

extension ProjectionTables {
  /// The index of ids as `view` sees it.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded` unless it contains an id for each folded position:
  ///   an id that is not in the index counts as new.
  func wholeIDs(in view: TransactionView) throws(LedgerError) -> RunsSnapshot {
    let folded = try Checkpoint(view, self)?.position ?? 0
    return try whole(ids, in: view, entries: folded)
  }

  /// The index of names as `view` sees it.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded` unless it contains every folded name.
  func wholeNames(in view: TransactionView) throws(LedgerError) -> RunsSnapshot {
    let folded = try Checkpoint(view, self)?.name ?? 0
    return try whole(names, in: view, entries: UInt64(folded))
  }

  private func whole(
    _ family: SortedRuns, in view: TransactionView, entries: UInt64
  ) throws(LedgerError) -> RunsSnapshot {
    let runs: RunsSnapshot
    do throws(RunsError) { runs = try family.snapshot(in: view) } catch { throw LedgerError(error) }
    guard UInt64(runs.entryCount) == entries else {
      throw .damagedProjections(
        "An index of the projections holds \(runs.entryCount) entries instead of \(entries)")
    }
    return runs
  }
}
