package import LMDB
public import LedgerEvents

/// What one snapshot of the log contains, or what an append in progress sees.
///
/// It is cheap to copy and to pass on, but cannot outlive the snapshot that lends it. The bytes
/// that it lends are in the pages and are not copied.
public struct LogView: ~Escapable {
  package let view: TransactionView
  package let tables: LogTables

  /// The position of the newest event; 0 in an empty log. Because positions have no gaps, this is
  /// also the number of events.
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
    // A count in a damaged page. Positions are kept in 32 bits in many places.
    guard lastPosition <= positionMax else {
      throw LedgerError(
        .corrupt, "The log counts \(lastPosition) events, more than a log can have.")
    }
  }

  /// Returns the number of the newest name, or 0 if there is none.
  ///
  /// - Complexity: O(1).
  public func lastNameNumber() throws(LedgerError) -> NameNumber {
    do throws(LMDBError) {
      let names = try view.statistics(tables.names).entries
      let people = try view.statistics(tables.people).entries
      if let number = NameNumber(exactly: names + people) { return number }
    } catch {
      throw LedgerError(error)
    }
    throw LedgerError(.corrupt, "The log counts more names than a log can have.")
  }

  /// Returns the live generation of the projections.
  ///
  /// - Complexity: O(1), one lookup in a table of one page.
  public func generation() throws(LedgerError) -> UInt64 {
    try LogIdentity.number(.generation, view, tables) ?? 0
  }

  /// Returns the bytes of the record at `position`, without copying them.
  ///
  /// - Complexity: O(log *n*), no allocation.
  /// - Throws: ``LedgerError``: `notFound` if there is no such position, `corrupt`.
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

  /// Returns the row of a name, in whichever table it is.
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
  /// Returns the table of names of `kind`. Names that identify a person have a separate table.
  func table(of kind: NameKind) -> Table { kind.isPersonal ? people : names }

  /// Returns the table that a name's row belongs to.
  func table(ofRow row: Span<UInt8>) -> Table { NameKind(rawValue: row[0]).map(table) ?? names }
}
