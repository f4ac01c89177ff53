internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// How much a ledger contains, and how far its projections are folded.
public struct LedgerStatistics: Sendable {
  /// A read transaction, of any process.
  public struct OldestReader: Sendable {
    public var process: Int32
    /// How many commits it is behind the last one.
    public var commitsBehind: Int
  }

  /// The newest position, and so the number of events.
  public var events: UInt64
  /// The number of account ids that events state.
  public var accounts: Int
  /// Bytes of the log's pages that were ever used.
  public var logBytes: Int
  /// Bytes of the projections' pages that were ever used; 0 if there are none.
  public var projectionBytes: Int
  /// The position up to which the projections are folded; `nil` if there are none.
  public var projectionPosition: UInt64?
  /// The number of the live generation of projections.
  public var generation: UInt64
  /// The number of events of each known type, by the type's name. Events of unknown types are
  /// counted together as `other`.
  public var eventsByType: [String: Int]
  /// The reader of the log that is furthest behind.
  public var oldestReader: OldestReader?

  /// The name under which events of unknown types are counted.
  public static let otherTypes = "other"
}

extension Ledger {
  /// Counts what the ledger contains.
  ///
  /// - Complexity: O(*n*) in the number of events, by their headers, and in the number of names.
  /// - Throws: ``LedgerError``.
  public func statistics() throws(LedgerError) -> LedgerStatistics {
    let size: Int
    let readers: [Reader]
    do throws(LMDBError) {
      size = try log.environment.info().usedBytes
      readers = try log.environment.readers()
    } catch { throw LedgerError(error) }
    var statistics = try log.read { (view) throws(LedgerError) in
      LedgerStatistics(
        events: view.lastPosition, accounts: try view.accountCount(), logBytes: size,
        projectionBytes: 0, projectionPosition: nil, generation: try view.generation(),
        eventsByType: try view.typeCounts(), oldestReader: nil)
    }
    if let first = readers.first, let lag = first.lag {
      statistics.oldestReader = .init(process: first.process, commitsBehind: lag)
    }
    if let projections = try source.live() {
      do throws(LMDBError) {
        statistics.projectionBytes = try projections.environment.info().usedBytes
      } catch { throw LedgerError(error) }
      statistics.projectionPosition = try projections.position()
    }
    return statistics
  }

  /// The position up to which the projections are folded; `nil` if there are none.
  ///
  /// - Complexity: O(1).
  /// - Throws: ``LedgerError``.
  package func projectionPosition() throws(LedgerError) -> UInt64? {
    try source.live()?.position()
  }
}

extension LogView {
  fileprivate func accountCount() throws(LedgerError) -> Int {
    var count = 0
    let last = try lastNameNumber()
    guard last > 0 else { return 0 }
    for number in 1...last where try kind(ofName: number) == .account { count += 1 }
    return count
  }

  fileprivate func typeCounts() throws(LedgerError) -> [String: Int] {
    guard lastPosition > 0 else { return [:] }
    var counts = [Int](repeating: 0, count: Int(UInt8.max) + 1)
    var cursor = try records(in: 1...lastPosition)
    while try cursor.next() {
      counts[Int(try cursor.record(isChecked: false).kind.rawValue)] += 1
    }
    var byType: [String: Int] = [:]
    for kind in EventKind.allCases where counts[Int(kind.rawValue)] > 0 {
      let name = kind == .unknown ? LedgerStatistics.otherTypes : kind.text
      byType[name] = counts[Int(kind.rawValue)]
    }
    return byType
  }
}

extension Ledger {
  /// The version of the LMDB that this process runs with, such as `0.9.24`.
  public static var lmdbVersion: String { Environment.libraryVersion }
}

extension LedgerError {
  /// Whether the operation failed because readers that do not end have taken every slot. The
  /// message names their processes.
  public var isForLackOfReaders: Bool { (cause as? LMDBError)?.code == .readersFull }
}

extension Ledger {
  /// Opens a ledger for reading without a reader's slot, for use when all slots are taken.
  ///
  /// Nothing keeps writers from reusing pages that it reads, so its answers may be wrong while
  /// somebody appends.
  ///
  /// - Parameter path: The ledger's folder.
  /// - Returns: The ledger.
  /// - Throws: ``LedgerError``, as `init(at:access:options:clock:)`.
  public static func withoutReaderSlot(at path: String) throws(LedgerError) -> Ledger {
    var options = Environment.Options()
    options.usesLocks = false
    return try Ledger(at: path, access: .readOnly, options: options)
  }
}
