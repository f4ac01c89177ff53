internal import LedgerEvents
internal import LedgerModel

/// A stretch of the log, read for folding: its facts, and what the indexes take of it.
struct FactBatch {
  private(set) var facts: [Fact] = []
  /// Keyed hashes of ids, with positions.
  private(set) var ids: [RunEntry] = []
  /// The greatest number that any name of the stretch has.
  private(set) var lastName: NameNumber = 0

  /// Reads the records at `positions` from `log`.
  ///
  /// - Complexity: O(*n*) in the number of positions.
  init(
    _ positions: ClosedRange<UInt64>, _ log: LogView, _ keyHash: KeyHash, indexesIDs: Bool
  ) throws(LedgerError) {
    let count = positions.count
    facts.reserveCapacity(count)
    if indexesIDs { ids.reserveCapacity(count) }
    var cursor = try log.records(in: positions)
    while try cursor.next() {
      let position = cursor.position
      do throws(RecordError) {
        let record = try RecordView(cursor.bytes)
        facts.append(try Fact(record))
        lastName = max(lastName, record.greatestNumber)
        if indexesIDs {
          let hash = keyHash.id(try record.id())
          ids.append(RunEntry(key: IndexKey.of(hash), value: UInt32(position)))
        }
      } catch { throw LedgerError(error, at: position) }
    }
  }
}

/// Keys of the indexes: how much of a keyed hash they keep.
enum IndexKey {
  /// The upper 48 bits: two ids among ten million share them with a chance of one in five, and then
  /// both are looked at. Shorter keys make smaller runs.
  static func of(_ hash: UInt64) -> UInt64 { hash >> 16 }

  /// The key of an event of a unit among the postings.
  static func posting(unit: UInt32, position: UInt64) -> UInt64 {
    UInt64(unit) << 32 | position
  }
}

extension RecordView {
  /// The greatest number of a name that the record uses.
  var greatestNumber: NameNumber {
    var greatest: NameNumber = 0
    for slot in NameSlot.allCases { greatest = max(greatest, number(slot)) }
    for index in 0..<dataNameCount { greatest = max(greatest, dataNumber(index)) }
    return greatest
  }
}

/// The facts of a batch by their units: places in the batch, in the order of units.
struct FactGroups {
  /// Unit in the upper half, place in the lower.
  private let order: [UInt64]

  /// - Parameter units: The unit of each fact, by its place.
  init(_ units: [UInt32]) {
    order = units.enumerated().map { UInt64($1) << 32 | UInt64($0) }.sorted()
  }

  /// Each unit with the places of its facts, units and places ascending.
  func forEach<Failure: Error>(
    _ body: (UInt32, [Int]) throws(Failure) -> Void
  ) throws(Failure) {
    var start = 0
    while start < order.count {
      let unit = order[start] >> 32
      var end = start
      while end < order.count, order[end] >> 32 == unit { end += 1 }
      try body(UInt32(unit), order[start..<end].map { Int($0 & 0xFFFF_FFFF) })
      start = end
    }
  }
}
