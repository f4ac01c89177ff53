internal import LMDB

/// A position among the blocks of a family.
struct RunCursor: ~Copyable, ~Escapable {
  private var cursor: Cursor
  /// The row whose block was checked last. Its page does not change while the cursor exists.
  private var checked = RunKey.manifest

  @_lifetime(copy view)
  init(_ view: TransactionView, _ table: Table) throws(RunsError) {
    do throws(LMDBError) { cursor = try view.cursor(table) } catch { throw RunsError(error) }
  }

  /// Moves to the first row whose key is not less than `key`; returns `nil` if there is none.
  mutating func seek(_ key: RunKey) throws(RunsError) -> RunKey? {
    let words = key.words
    let found: Bool
    do throws(LMDBError) {
      found = try cursor.seek(words.span.wordBytes)
    } catch { throw RunsError(error) }
    guard found else { return nil }
    let row = try RunKey(cursor.key)
    guard row.number >= key.number else { throw .rowsOutOfOrder }
    return row
  }

  /// Moves to the last row whose key is not greater than `key`; returns `nil` if there is none.
  mutating func seek(through key: RunKey) throws(RunsError) -> RunKey? {
    if let found = try seek(key), found.number == key.number { return found }
    let row = try previous()
    guard row?.number ?? 0 <= key.number else { throw .rowsOutOfOrder }
    return row
  }

  /// Moves to the next row; returns `nil` after the last one.
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
  /// - Throws: ``RunsError`` if it is not a block, or not the one that was written there.
  @_lifetime(copy self)
  mutating func block(_ key: RunKey) throws(RunsError) -> RunBlockView {
    let block = try RunBlockView(
      cursor.value, under: key, isChecked: checked.number == key.number)
    checked = key
    return block
  }
}

extension RunsError {
  /// The error for a search that ended on the wrong side of its key because a page is damaged.
  fileprivate static var rowsOutOfOrder: RunsError {
    .corrupt("The rows of a sorted run are not in order")
  }
}
