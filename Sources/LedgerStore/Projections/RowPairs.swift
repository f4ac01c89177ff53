internal import LMDB

/// A walk over the rows of one table in two generations, in the order of their keys: those that
/// both have side by side, the others alone.
struct RowPairs: ~Copyable, ~Escapable {
  private var first: Cursor
  private var second: Cursor
  private var hasFirst = false
  private var hasSecond = false
  private var isBegun = false

  @_lifetime(copy left, copy right)
  init(
    _ table: Table, _ left: TransactionView, _ other: Table, _ right: TransactionView
  ) throws(LedgerError) {
    let cursor = try Self.cursor(table, left)
    let otherCursor = try Self.cursor(other, right)
    first = cursor
    second = otherCursor
  }

  @_lifetime(copy view)
  private static func cursor(
    _ table: Table, _ view: TransactionView
  ) throws(LedgerError) -> Cursor {
    do throws(LMDBError) { return try view.cursor(table) } catch {
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

  /// The row's value on the left; empty where it is not there.
  var left: Span<UInt8> {
    @_lifetime(borrow self)
    get { side <= 0 ? first.value : Span() }
  }

  /// The row's value on the right; empty where it is not there.
  var right: Span<UInt8> {
    @_lifetime(borrow self)
    get { side >= 0 ? second.value : Span() }
  }

  /// Moves to the next row; false behind the last.
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
  /// −1, 0 or 1 as the bytes sort before, with or behind those of `other`.
  fileprivate func compared(to other: Span<UInt8>) -> Int {
    for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
      return self[index] < other[index] ? -1 : 1
    }
    return count == other.count ? 0 : count < other.count ? -1 : 1
  }
}
