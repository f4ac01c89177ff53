import Foundation
import LMDB
import LedgerHistories

@testable import Audit
@testable import LedgerEvents
@testable import LedgerLog
@testable import LedgerStore

/// A log of a random history, and an attacker who can write its files and knows their format.
final class TamperedLog {
  let log: EventLog
  let key: NoteSigner
  private let path: String

  init(seed: UInt64, count: Int) throws {
    let path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    let log = try EventLog.create(at: path, options: Environment.Options(sync: .onRequest))
    let events = Histories.dense(seed: seed, count: count)
    _ = try log.appendAndWait(events.map { EventInput(event: $0.event) })
    let key = try NoteSigner(name: "tampered.example/book")
    (self.path, self.log, self.key) = (path, log, key)
  }

  /// A log that was made otherwise; the folder goes with it.
  init(_ log: EventLog) throws {
    (path, self.log, key) = (log.path, log, try NoteSigner(name: "tampered.example/book"))
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
  }

  func count() throws -> UInt64 { try log.lastPosition() }

  func checkpoint(at size: UInt64) throws -> SignedCheckpoint {
    let root = try log.read { (view) throws(LedgerError) in try view.root(at: size) }
    return try .sign(size: size, root: root, with: key)
  }

  func compare(_ checkpoints: [SignedCheckpoint]) throws -> KeptCheckpoints {
    try log.read { (view) throws(LedgerError) in try KeptCheckpoints(checkpoints, against: view) }
  }

  func record(_ position: UInt64) throws -> [UInt8] {
    try log.read { (view) throws(LedgerError) in
      [UInt8](copying: try view.recordBytes(at: position))
    }
  }

  // MARK: - What an attacker does who knows the format

  /// Replaces records in the log, with correct checksums and recomputed tree nodes.
  func rewrite(_ records: [UInt64: [UInt8]]) throws {
    let table = log.tables.records
    try log.environment.write { (transaction) throws(LMDBError) in
      for (position, record) in records {
        try transaction.put(table, position, Self.summed(record).span)
      }
    }
    try rewriteNodes()
  }

  /// Removes records from the end, and the nodes above them.
  func cut(to size: UInt64) throws {
    let tables = log.tables
    let last = try count()
    try log.environment.write { (transaction) throws(LMDBError) in
      for position in size + 1...last {
        _ = try transaction.delete(tables.records, position)
        _ = try transaction.delete(tables.personal, position)
      }
    }
    try rewriteNodes()
  }

  /// Changes rows of any table, and makes the nodes of the tree anew.
  func tamper(
    _ change: (inout WriteTransaction, LogTables) throws(LMDBError) -> Void
  ) throws {
    let tables = log.tables
    try log.environment.write { (transaction) throws(LMDBError) in
      try change(&transaction, tables)
    }
    try rewriteNodes()
  }

  private func rewriteNodes() throws {
    let nodes = try log.read { (view) throws(LedgerError) in try Self.nodes(view) }
    let stored = try log.statistics().tables.first { $0.name == "tree" }?.entries ?? 0
    let table = log.tables.tree
    try log.environment.write { (transaction) throws(LMDBError) in
      for index in 0..<nodes.count {
        try transaction.put(table, UInt64(index), nodes[index].bytes.span)
      }
      for index in nodes.count..<max(nodes.count, stored) {
        _ = try transaction.delete(table, UInt64(index))
      }
    }
  }

  private static func nodes(_ view: LogView) throws(LedgerError) -> [TreeHash] {
    var frontier = MerkleFrontier()
    var hasher = TreeHasher()
    var nodes: [TreeHash] = []
    for position in stride(from: 1, through: view.lastPosition, by: 1) {
      // On two lines, because the compiler fails on a span of the result of a throwing call.
      let entry = try view.leaf(at: position)
      frontier.append(hasher.leafHash(entry.span), &hasher, completed: &nodes)
    }
    return nodes
  }

  /// Returns the record with a correct checksum.
  private static func summed(_ record: [UInt8]) -> [UInt8] {
    let body = Array(record.dropLast(Record.checksumBytes))
    let sum = XXH64.hash(body.span)
    return body + (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt64($0))) }
  }

  // MARK: - Damage on the disk

  /// Returns the locations of the records' bytes in the log file, by position.
  func recordRanges() throws -> [UInt64: Range<UInt64>] {
    let file = try Data(contentsOf: URL(fileURLWithPath: dataFile))
    var ranges: [UInt64: Range<UInt64>] = [:]
    for position in 1...(try count()) {
      let record = Data(try record(position))
      // Records are unique because they contain positions. Pages that are no longer in use may
      // contain older copies.
      var found: [Range<Data.Index>] = []
      var start = file.startIndex
      while let next = file.range(of: record, in: start..<file.endIndex) {
        found.append(next)
        start = next.lowerBound + 1
      }
      if found.count == 1, let only = found.first {
        ranges[position] = UInt64(only.lowerBound)..<UInt64(only.upperBound)
      }
    }
    return ranges
  }

  private var dataFile: String { path + "/log/data.mdb" }

  /// Flips one bit of the file. Flipping it again restores the file.
  func flip(_ bit: UInt8, at offset: UInt64) throws {
    let file = try FlatFile.open(dataFile, isWritable: true)
    let bytes = try file?.read(at: Int(offset), count: 1) ?? []
    try file?.write(bytes.map { $0 ^ 1 << bit }, at: Int(offset))
  }
}
