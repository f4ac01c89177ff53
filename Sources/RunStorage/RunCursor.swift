internal import LMDB

/// A position among the blocks of a family.
struct RunCursor: ~Copyable, ~Escapable {
  private var cursor: Cursor

  @_lifetime(copy view)
  init(_ view: TransactionView, _ table: Table) throws(RunsError) {
    do throws(LMDBError) { cursor = try view.cursor(table) } catch { throw RunsError(error) }
  }

  /// Moves to the first row whose key is not less than `key`; returns nil if there is none.
  mutating func seek(_ key: RunKey) throws(RunsError) -> RunKey? {
    let words = key.words
    let found: Bool
    do throws(LMDBError) {
      found = try cursor.seek(words.span.wordBytes)
    } catch { throw RunsError(error) }
    return found ? try RunKey(cursor.key) : nil
  }

  /// Moves to the last row whose key is not greater than `key`; returns nil if there is none.
  mutating func seek(through key: RunKey) throws(RunsError) -> RunKey? {
    if let found = try seek(key), found.number == key.number { return found }
    return try previous()
  }

  /// Moves to the next row; returns nil after the last one.
  mutating func next() throws(RunsError) -> RunKey? {
    let found: Bool
    do throws(LMDBError) { found = try cursor.next() } catch { throw RunsError(error) }
    return found ? try RunKey(cursor.key) : nil
  }

  /// Moves to the previous row, or to the last row if the cursor is past the end.
  private mutating func previous() throws(RunsError) -> RunKey? {
    let found: Bool
    do throws(LMDBError) {
      found = cursor.isAtEntry ? try cursor.previous() : try cursor.last()
    } catch { throw RunsError(error) }
    return found ? try RunKey(cursor.key) : nil
  }

  /// Returns the block at the cursor, whose row has the key `key`.
  ///
  /// - Throws: ``RunsError`` if the value is not a block.
  @_lifetime(copy self)
  func block(_ key: RunKey) throws(RunsError) -> RunBlockView {
    try RunBlockView(cursor.value, first: key.firstKey)
  }
}
