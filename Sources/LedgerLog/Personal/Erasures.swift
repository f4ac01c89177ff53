internal import LMDB
package import LedgerEvents

/// What the writer knows about erasures: the numbers of names whose owners were erased, and when.
/// There are few, so all of them are kept in memory.
///
/// A number that was erased is never given to an event that happens later: the name gets a new one.
struct Erasures {
  private struct Former {
    let number: NameNumber
    /// The believed time of the erasure.
    let moment: Instant
  }

  /// Erased names, by the first half of their hashes.
  private var formers: [UInt64: [Former]] = [:]
  private var numbers: Set<NameNumber> = []
  /// The number of slots that had been destroyed when this was read.
  private var count = 0

  init() {}

  /// Whether nobody has ever been erased.
  var isEmpty: Bool { count == 0 }

  /// Reads the erasures of the log again, if there are new ones.
  ///
  /// - Complexity: O(1) if there are none; otherwise O(*n*) in everything that was ever erased.
  mutating func catchUp(_ log: LogView) throws(LedgerError) {
    let count = try log.erasureCount()
    guard count != self.count else { return }
    self = Erasures()
    var moments: [UInt64: Instant] = [:]
    for erased in try log.erasedSlots() where erased.number != 0 {
      if moments[erased.position] == nil {
        moments[erased.position] = try log.record(at: erased.position).believedAt
      }
      guard let moment = moments[erased.position] else { continue }
      numbers.insert(erased.number)
      formers[try log.sealedName(erased.number).hash.0, default: []]
        .append(Former(number: erased.number, moment: moment))
    }
    self.count = count
  }

  /// Returns whether events that happen now may not use a person's number, because it was erased or
  /// never had a key.
  func isErased(_ number: NameNumber, _ log: LogView) throws(LedgerError) -> Bool {
    if isEmpty { return false }
    if numbers.contains(number) { return true }
    guard let row = try log.nameRow(number, in: log.tables.people), let name = SealedName(row)
    else { return false }
    return name.slot.isForgotten
  }

  /// Returns the number that a name had at `time`, if the person with that number has been erased
  /// since.
  ///
  /// - Parameters:
  ///   - row: The name: a byte for its kind, then its text.
  ///   - hash: The first half of its hash.
  ///   - time: The believed time of an event.
  ///   - log: The log.
  func number(
    of row: Span<UInt8>, _ hash: UInt64, at time: Instant, _ log: LogView
  ) throws(LedgerError) -> NameNumber? {
    var found: Former?
    for former in formers[hash] ?? []
    where former.moment >= time && former.moment < found?.moment ?? .distantFuture {
      if try log.isName(former.number, row: row) { found = former }
    }
    return found?.number
  }

  /// Returns the number that the newest erasure of a name was about, or `nil` if there is none.
  func newestNumber(
    of row: Span<UInt8>, _ hash: UInt64, _ log: LogView
  ) throws(LedgerError) -> NameNumber? {
    var found: NameNumber?
    for former in formers[hash] ?? [] where former.number > found ?? 0 {
      if try log.isName(former.number, row: row) { found = former.number }
    }
    return found
  }
}

extension Instant {
  fileprivate static let distantFuture = Instant(microseconds: .max)
}

/// A row of the table `erased`: a slot of the key file that an erasure destroyed.
///
/// ```
/// key     0  4  slot, big-endian
/// value   0  8  position of account.erased, big-endian
///         8  4  number of the name that was encrypted under it, big-endian; 0 if it was the
///               personal data of an event
///        12  8  the position of that event, big-endian; 0 if it was a name
/// ```
package struct ErasedSlot {
  package let slot: UInt32
  package let position: UInt64
  package let number: NameNumber
  package let event: UInt64

  static let valueByteCount = 20

  init(slot: UInt32, position: UInt64, number: NameNumber = 0, event: UInt64 = 0) {
    self.slot = slot
    self.position = position
    self.number = number
    self.event = event
  }

  /// Reads a row; `nil` if the bytes are not such a row.
  init?(_ key: Span<UInt8>, _ value: Span<UInt8>) {
    guard key.count == 4, key.bigEndianHalf(at: 0) > 0, value.count == ErasedSlot.valueByteCount
    else { return nil }
    self.init(
      slot: key.bigEndianHalf(at: 0), position: value.bigEndianWord(at: 0),
      number: value.bigEndianHalf(at: 8), event: value.bigEndianWord(at: 12))
  }

  var value: [UInt8] {
    var bytes = [UInt8](bigEndianWord: position)
    bytes.append(bigEndianHalf: number)
    bytes.append(bigEndianWord: event)
    return bytes
  }
}

extension Commitment {
  /// Returns what the leaf of an erasure contains of these rows.
  static func erasure(_ rows: [ErasedSlot]) -> [UInt8] {
    erasure(
      names: rows.map(\.number).filter { $0 != 0 }, events: rows.map(\.event).filter { $0 != 0 })
  }
}

extension LogView {
  /// Returns every slot that was destroyed.
  ///
  /// - Throws: ``LedgerError``: `corrupt`, `io`.
  package func erasedSlots() throws(LedgerError) -> [ErasedSlot] {
    var found: [ErasedSlot] = []
    var cursor: Cursor
    do throws(LMDBError) { cursor = try view.cursor(tables.erased) } catch {
      throw LedgerError(error)
    }
    while true {
      do throws(LMDBError) {
        if try !cursor.next() { return found }
      } catch { throw LedgerError(error) }
      guard let erased = ErasedSlot(cursor.key, cursor.value) else {
        throw .corrupt("A row about what was erased is damaged")
      }
      found.append(erased)
    }
  }

  /// Returns what the leaf of the erasure at `position` contains of what it erased.
  ///
  /// - Complexity: O(*n*) in everything that was ever erased.
  func erasureCommitment(at position: UInt64) throws(LedgerError) -> [UInt8] {
    let own = try erasedSlots().filter { $0.position == position }
    return Commitment.erasure(own)
  }

  /// Returns what the leaves of all erasures contain of what they erased, by position.
  ///
  /// - Complexity: O(*n* log *n*) in everything that was ever erased.
  func erasureCommitments() throws(LedgerError) -> [UInt64: [UInt8]] {
    var rows: [UInt64: [ErasedSlot]] = [:]
    for row in try erasedSlots() { rows[row.position, default: []].append(row) }
    return rows.mapValues { Commitment.erasure($0) }
  }

  /// Returns the number of key slots that are taken. Within a table, slots never decrease.
  ///
  /// - Complexity: O(log *n*).
  /// - Throws: ``LedgerError``: `corrupt` if a last row is damaged, because a slot that is taken
  ///   must not be used again; `io`.
  package func lastSlot() throws(LedgerError) -> UInt32 {
    var taken: [UInt32?] = []
    do throws(LMDBError) {
      var people = try view.cursor(tables.people)
      if try people.last() { taken.append(SealedName(people.value)?.slot.taken) }
      var personal = try view.cursor(tables.personal)
      if try personal.last() { taken.append(SealedData(personal.value)?.slot.taken) }
    } catch {
      throw LedgerError(error)
    }
    var last = UInt32(clamping: try LogIdentity.number(.slots, view, tables) ?? 0)
    for slot in taken {
      guard let slot else { throw .corrupt("The last row of a table of personal data is damaged") }
      last = max(last, slot)
    }
    return last
  }
}
