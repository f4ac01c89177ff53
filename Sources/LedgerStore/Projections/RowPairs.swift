internal import LMDB

/// Iterates over the rows of one table in two generations, in the order of their keys. Rows that
/// both have are returned as pairs, the others alone.
struct RowPairs: ~Copyable, ~Escapable {
  private let table: RowTable
  private let other: RowTable
  private var first: Cursor
  private var second: Cursor
  private var hasFirst = false
  private var hasSecond = false
  private var isBegun = false

  @_lifetime(copy left, copy right)
  init(
    _ table: RowTable, _ left: TransactionView, _ other: RowTable, _ right: TransactionView
  ) throws(LedgerError) {
    let cursor = try Self.cursor(table, left)
    let otherCursor = try Self.cursor(other, right)
    first = cursor
    second = otherCursor
    self.table = table
    self.other = other
  }

  @_lifetime(copy view)
  private static func cursor(
    _ table: RowTable, _ view: TransactionView
  ) throws(LedgerError) -> Cursor {
    do throws(LMDBError) { return try view.cursor(table.table) } catch {
      throw LedgerError(ofProjections: error)
    }
  }

  /// Which of the two has the row: −1 the left one, 1 the right one, 0 both.
  private(set) var side = 0

  /// The row's key.
  var key: Span<UInt8> {
    @_lifetime(borrow self)
    get { side <= 0 ? first.key : second.key }
  }

  /// Whether the row on the left matches its checksum or does not exist.
  var isLeftWhole: Bool { side > 0 || table.isWhole(first.value, under: first.key) }

  /// The contents of the row on the left; empty if it does not exist.
  ///
  /// - Throws: ``LedgerError``: `rebuildNeeded` if it does not match its checksum.
  @_lifetime(borrow self)
  func left() throws(LedgerError) -> Span<UInt8> {
    if side > 0 { return Span() }
    return try table.content(of: first.value, under: first.key)
  }

  /// The contents of the row on the right; empty if it does not exist.
  ///
  /// - Throws: as ``left()``.
  @_lifetime(borrow self)
  func right() throws(LedgerError) -> Span<UInt8> {
    if side < 0 { return Span() }
    return try other.content(of: second.value, under: second.key)
  }

  /// Moves to the next row; `false` after the last.
  mutating func next() throws(LedgerError) -> Bool {
    do throws(LMDBError) {
      if !isBegun || side <= 0 { hasFirst = try first.next() }
      if !isBegun || side >= 0 { hasSecond = try second.next() }
    } catch { throw LedgerError(ofProjections: error) }
    isBegun = true
    guard hasFirst || hasSecond else { return false }
    side = !hasSecond ? -1 : !hasFirst ? 1 : first.key.compared(to: second.key)
    return true
  }
}

extension Span<UInt8> {
  /// −1, 0 or 1 if the bytes sort before, are equal to, or sort after those of `other`.
  fileprivate func compared(to other: Span<UInt8>) -> Int {
    for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
      return self[index] < other[index] ? -1 : 1
    }
    return count == other.count ? 0 : count < other.count ? -1 : 1
  }
}
