package import LMDB
public import LedgerEvents

/// What one snapshot of the log holds, or what the open append sees.
///
/// Cheap to copy and to pass on; it cannot outlive the snapshot that lent it. What it lends lies in
/// the pages and is not copied.
public struct LogView: ~Escapable {
  package let view: TransactionView
  package let tables: LogTables

  /// The position of the newest event, 0 in an empty log. As positions have no gaps it is the
  /// number of events, too.
  public let lastPosition: UInt64

  @_lifetime(copy view)
  init(_ view: TransactionView, _ tables: LogTables) throws(LedgerError) {
    self.view = view
    self.tables = tables
    do throws(LMDBError) {
      lastPosition = UInt64(try view.statistics(tables.records).entries)
    } catch {
      throw LedgerError(error)
    }
  }

  /// The number of the newest name, 0 where there is none.
  ///
  /// - Complexity: O(1).
  public func lastNameNumber() throws(LedgerError) -> NameNumber {
    do throws(LMDBError) {
      let names = try view.statistics(tables.names).entries
      let people = try view.statistics(tables.people).entries
      return NameNumber(names + people)
    } catch {
      throw LedgerError(error)
    }
  }

  /// The live generation of the projections.
  ///
  /// - Complexity: O(1), one look-up in a table of one page.
  public func generation() throws(LedgerError) -> UInt64 {
    try LogIdentity.number(.generation, view, tables) ?? 0
  }

  /// The bytes of the record at `position`, in place.
  ///
  /// - Complexity: O(log *n*), no allocation.
  /// - Throws: ``LedgerError``: `notFound` where there is no such position, `corrupt`.
  @_lifetime(copy self)
  public func recordBytes(at position: UInt64) throws(LedgerError) -> Span<UInt8> {
    let found: Span<UInt8>?
    do throws(LMDBError) { found = try view.get(tables.records, position) } catch {
      throw LedgerError(error)
    }
    guard let found else { throw missingRecord(position) }
    return found
  }

  private func missingRecord(_ position: UInt64) -> LedgerError {
    guard position < 1 || position > lastPosition else {
      return .corrupt("The record at position \(position) is missing")
    }
    return LedgerError(
      .notFound, "There is no event at position \(position): the last one is \(lastPosition).",
      position: position)
  }

  /// The row of a name, in whichever table it stands.
  @_lifetime(copy self)
  func nameRow(_ number: NameNumber) throws(LedgerError) -> Span<UInt8>? {
    if let row = try nameRow(number, in: tables.names) { return row }
    return try nameRow(number, in: tables.people)
  }

  @_lifetime(copy self)
  func nameRow(
    _ number: NameNumber, in table: Table
  ) throws(LedgerError) -> Span<UInt8>? {
    do throws(LMDBError) {
      let key = bigEndianKey(number)
      return try view.get(table, key.span)
    } catch {
      throw LedgerError(error)
    }
  }
}

extension LogTables {
  /// Where names of `kind` stand: those that identify a person have a table of their own.
  func table(of kind: NameKind) -> Table { kind.isPersonal ? people : names }

  /// The table that a name's row stands in.
  func table(ofRow row: Span<UInt8>) -> Table { NameKind(rawValue: row[0]).map(table) ?? names }
}
