internal import LMDB

/// A walk over the records, forwards or backwards, without copying them.
///
/// The bytes that it lends stay valid while the snapshot is borrowed, even after the cursor has
/// moved on.
public struct LogCursor: ~Copyable, ~Escapable {
  private var cursor: Cursor
  private let lower: UInt64
  private let upper: UInt64
  private let isReverse: Bool
  private var isStarted = false

  /// The position of the record at the cursor.
  public private(set) var position: UInt64

  @_lifetime(copy view)
  init(_ view: LogView, _ range: ClosedRange<UInt64>, reverse: Bool) throws(LedgerError) {
    do throws(LMDBError) { cursor = try view.view.cursor(view.tables.records) } catch {
      throw LedgerError(error)
    }
    lower = range.lowerBound
    upper = range.upperBound
    isReverse = reverse
    position = reverse ? upper : lower
  }

  /// Moves to the next record of the walk. The first call moves to the first one. Returns false
  /// after the last one.
  ///
  /// - Complexity: O(1) amortized, O(log *n*) the first time; no allocation.
  /// - Throws: ``LedgerError``: `corrupt` if a position is missing.
  public mutating func next() throws(LedgerError) -> Bool {
    let expected: UInt64
    let found: Bool
    do throws(LMDBError) {
      if isStarted {
        guard position != (isReverse ? lower : upper) else { return false }
        expected = isReverse ? position - 1 : position + 1
        found = isReverse ? try cursor.previous() : try cursor.next()
      } else {
        expected = position
        found = try cursor.find(position)
        isStarted = true
      }
    } catch {
      throw LedgerError(error)
    }
    try arrive(at: expected, found)
    return true
  }

  /// Moves to the record at a position of the range, from wherever the walk is.
  ///
  /// - Complexity: O(log *n*), and O(1) on the page that the cursor is on; no allocation.
  /// - Throws: ``LedgerError``: `corrupt` if the position is missing.
  package mutating func move(to target: UInt64) throws(LedgerError) {
    precondition(lower <= target && target <= upper, "position \(target) is not of the walk")
    let found: Bool
    do throws(LMDBError) { found = try cursor.find(target) } catch { throw LedgerError(error) }
    isStarted = true
    try arrive(at: target, found)
  }

  private mutating func arrive(at expected: UInt64, _ isFound: Bool) throws(LedgerError) {
    guard isFound, cursor.key.count == 8, cursor.key.bigEndianWord(at: 0) == expected else {
      throw .corrupt("The record at position \(expected) is missing")
    }
    position = expected
  }

  /// The bytes of the record at the cursor, which are not copied.
  public var bytes: Span<UInt8> {
    @_lifetime(copy self)
    get { cursor.value }
  }
}

extension LogView {
  /// Returns a cursor over the records of `range`, before the first one.
  ///
  /// - Parameters:
  ///   - range: Positions that the log contains.
  ///   - reverse: Whether to walk from the last position to the first.
  /// - Complexity: O(log *n*) at the beginning, then O(1) per record.
  /// - Throws: ``LedgerError``: `notFound` if `range` is not within 1 to ``lastPosition``.
  @_lifetime(copy self)
  public func records(
    in range: ClosedRange<UInt64>, reverse: Bool = false
  ) throws(LedgerError) -> LogCursor {
    guard range.lowerBound >= 1, range.upperBound <= lastPosition else {
      throw LedgerError(
        .notFound,
        """
        Positions \(range.lowerBound) to \(range.upperBound) were asked for; the log holds 1 to \
        \(lastPosition).
        """,
        position: range.upperBound)
    }
    return try LogCursor(self, range, reverse: reverse)
  }
}
