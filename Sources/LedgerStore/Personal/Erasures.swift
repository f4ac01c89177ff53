internal import LMDB
internal import LedgerEvents

/// What the writer knows of erasures: which slots were destroyed and when, and which names have
/// come again since. There are few, so all of them are held.
struct Erasures {
  /// The slots that were destroyed, and the position of the erasure.
  private var positions: [UInt32: UInt64] = [:]
  /// When the erasure at a position happened.
  private var moments: [UInt64: Instant] = [:]
  /// The names that came again and were not erased since.
  private var returns: [ReturnedKey] = []
  private var isKnown = false

  /// A clock that is further ahead of the ledger's, in microseconds, is not believed (`events.md`).
  static let clockAheadMax: Int64 = 24 * 3_600 * 1_000_000

  init() {}

  /// Whether nobody was ever erased.
  var isEmpty: Bool { positions.isEmpty }

  /// Reads what the log says, where it says something else than is known.
  ///
  /// - Complexity: O(1) where nothing was erased since.
  mutating func catchUp(_ log: LogView) throws(LedgerError) {
    let count = try log.erasureCount()
    guard count != positions.count || count > 0 && !isKnown else { return }
    positions = try log.erasedSlots()
    moments = [:]
    for position in Set(positions.values) {
      let record = try log.record(at: position)
      let isAhead =
        record.occurredAt.microseconds - record.recordedAt.microseconds > Erasures.clockAheadMax
      moments[position] = isAhead ? record.recordedAt : record.occurredAt
    }
    var found: [ReturnedKey] = []
    let erased = positions
    try log.forEachReturn { (key, name) throws(LedgerError) in
      if erased[name.slot.taken] == nil { found.append(key) }
    }
    returns = found
    isKnown = true
  }

  /// When a name was erased; nil where it never was.
  func moment(of number: NameNumber, _ log: LogView) throws(LedgerError) -> Instant? {
    guard let row = try log.nameRow(number, in: log.tables.people), let name = SealedName(row),
      let position = positions[name.slot.taken], !name.slot.isForgotten
    else { return nil }
    return moments[position]
  }

  /// Whether a name that was erased has come again.
  func isLiving(_ number: NameNumber) -> Bool { returns.contains { $0.number == number } }

  mutating func append(_ key: ReturnedKey) { returns.append(key) }

  /// The names that came again with the event at `position`.
  func returns(at position: UInt64) -> [NameNumber] {
    returns.filter { $0.position == position }.map(\.number)
  }

  mutating func takeOut(after position: UInt64) { returns.removeAll { $0.position > position } }
}

extension LogView {
  /// Every slot that was destroyed, with the position of the erasure.
  func erasedSlots() throws(LedgerError) -> [UInt32: UInt64] {
    var found: [UInt32: UInt64] = [:]
    do throws(LMDBError) {
      var cursor = try view.cursor(tables.erased)
      while try cursor.next() {
        guard cursor.key.count == 4, cursor.value.count == 8 else { continue }
        found[cursor.key.bigEndianHalf(at: 0)] = cursor.value.bigEndianWord(at: 0)
      }
    } catch {
      throw LedgerError(error)
    }
    return found
  }

  /// How many slots of the key file are taken: slots never go back within a table.
  ///
  /// - Complexity: O(log *n*).
  func lastSlot() throws(LedgerError) -> UInt32 {
    var last: UInt32 = 0
    do throws(LMDBError) {
      for table in [tables.people, tables.returned] {
        var cursor = try view.cursor(table)
        if try cursor.last(), let name = SealedName(cursor.value) {
          last = max(last, name.slot.taken)
        }
      }
      var cursor = try view.cursor(tables.personal)
      if try cursor.last(), let data = SealedData(cursor.value) {
        last = max(last, data.slot.taken)
      }
    } catch {
      throw LedgerError(error)
    }
    return last
  }
}
