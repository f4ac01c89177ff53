internal import LedgerEvents
internal import LedgerModel
internal import RunStorage
internal import WorkThreads

/// A batch of the log that is read for folding: its facts, and the entries for the indexes.
struct FactBatch {
  private(set) var facts: [Fact] = []
  /// Keyed hashes of ids, with positions, in this order.
  private var ids: [RunEntry] = []
  /// Sorts the same in the background; `nil` if there are few.
  private var sorting: ConcurrentWork<[RunEntry]>?
  /// The greatest number that any name of the batch has.
  private(set) var lastName: NameNumber = 0
  /// The position of the first fact.
  let firstPosition: UInt64

  /// Reads the records at `positions` from `log`.
  ///
  /// - Complexity: O(*n*) in the number of positions.
  init(
    _ positions: ClosedRange<UInt64>, _ log: LogView, _ keyHash: KeyHash, indexesIDs: Bool
  ) throws(LedgerError) {
    let count = positions.count
    firstPosition = positions.lowerBound
    facts.reserveCapacity(count)
    if indexesIDs { ids.reserveCapacity(count) }
    var idBytes: [UInt8] = []
    var cursor = try log.records(in: positions)
    while try cursor.next() {
      let position = cursor.position
      let record = try cursor.record()
      do throws(RecordError) { facts.append(try Fact(record)) } catch {
        throw LedgerError(error, at: position)
      }
      lastName = max(lastName, record.greatestNumber)
      if indexesIDs {
        let hash = keyHash.id(of: record, &idBytes)
        ids.append(RunEntry(key: IndexKey.of(hash), value: UInt32(position)))
      }
    }
    assert(facts.count == count, "\(facts.count) facts at \(count) positions")
    assert(facts.first?.position == firstPosition && facts.last?.position == positions.upperBound)
  }
}

extension FactBatch {
  /// Keyed hashes of ids, with positions, sorted for a run.
  func sortedIDs() -> [RunEntry] { sorting?.results()[0] ?? ids.sortedForRun() }
}

extension [RunEntry] {
  /// The entries, sorted for a run.
  func sortedForRun() -> [RunEntry] {
    var sorted = self
    sorted.sortForRun()
    return sorted
  }
}

// MARK: - On several cores

extension FactBatch {
  /// Reads the records at `positions` on several cores, if there are many.
  ///
  /// - Parameters:
  ///   - positions: Positions that `view` has.
  ///   - view: What the calling thread reads.
  /// - Complexity: O(*n*) in the number of positions, shared by the cores.
  init(
    _ positions: ClosedRange<UInt64>, of log: EventLog, in view: LogView, indexesIDs: Bool
  ) throws(LedgerError) {
    let keyHash = log.identity.keyHash
    var read = try view.inPieces(positions.count, of: log) {
      (view, piece) throws(LedgerError) in
      let start = positions.lowerBound + UInt64(piece.lowerBound)
      let end = positions.lowerBound + UInt64(piece.upperBound) - 1
      return try FactBatch(start...end, view, keyHash, indexesIDs: indexesIDs)
    }
    self = read.removeFirst()
    if read.isEmpty { return }
    if indexesIDs {
      ids.reserveCapacity(positions.count)
      for piece in read { ids += piece.ids }
      sorting = .begin(1) { [ids] _ in ids.sortedForRun() }
      ids = []
    }
    facts.reserveCapacity(positions.count)
    for piece in read {
      assert(piece.firstPosition == firstPosition + UInt64(facts.count), "pieces leave a gap")
      facts += piece.facts
      lastName = max(lastName, piece.lastName)
    }
    assert(facts.count == positions.count && facts.last?.position == positions.upperBound)
  }
}

/// Keys of the indexes, which keep part of a keyed hash.
enum IndexKey {
  /// The unit number under which the facts of the shared context are posted, in addition to their
  /// own.
  static let contextUnit: UInt32 = .max

  /// The upper 48 bits: among ten million ids, two share them with a probability of one in five,
  /// and then both are compared. Shorter keys make smaller runs.
  static func of(_ hash: UInt64) -> UInt64 { hash >> 16 }

  /// The key of a unit's event in the postings.
  static func posting(unit: UInt32, position: UInt64) -> UInt64 {
    UInt64(unit) << 32 | position
  }

  /// The position of an event, from its key in the postings.
  static func position(ofPosting key: UInt64) -> UInt64 { key & 0xFFFF_FFFF }

  /// Whether an event whose last entry has this value belongs to the unit: see `UnitPostings`.
  static func isPresent(_ value: UInt32) -> Bool { value % 2 == 0 }
}
