import Foundation
import LMDB

@testable import RunStorage

/// An environment in a folder that is removed after the test.
final class RunsEnvironment {
  private(set) var environment: Environment
  private let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "runs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
    environment = try Environment.open(path)
  }

  deinit {
    try? environment.close()
    try? FileManager.default.removeItem(atPath: path)
  }

  func reopen() throws {
    try environment.close()
    environment = try Environment.open(path)
  }

  func read<Value>(
    _ body: (TransactionView) throws(RunsError) -> Value
  ) throws(RunsError) -> Value {
    try environment.read(throwing: RunsError.self) { (transaction) throws(RunsError) in
      try body(transaction.view)
    }
  }

  func write(
    _ body: (inout WriteTransaction) throws(RunsError) -> Void
  ) throws(RunsError) {
    try environment.write(throwing: RunsError.self) { (transaction) throws(RunsError) in
      try body(&transaction)
    }
  }

  /// Merges one slice in a separate transaction. Returns whether more work is left.
  func compact(_ runs: SortedRuns, budget: Int) throws(RunsError) -> Bool {
    try environment.write(throwing: RunsError.self) { (transaction) throws(RunsError) in
      try runs.compact(budget: budget, in: &transaction)
    }
  }

  /// Flips bits in, shortens, or removes a random row of `table`.
  func damage(_ table: Table, _ random: inout RunsRandom) throws {
    var rows: [(key: [UInt8], value: [UInt8])] = []
    try environment.read { (transaction) throws(LMDBError) in
      var cursor = try transaction.cursor(table)
      while try cursor.next() {
        let (key, value) = (cursor.key, cursor.value)
        rows.append((key.indices.map { key[$0] }, value.indices.map { value[$0] }))
      }
    }
    var row = rows[Int(random.next() % UInt64(rows.count))]
    if random.next() % 4 == 0 { row = rows[0] }
    switch random.next() % 4 {
    case 0: row.value.removeLast(Int(random.next() % UInt64(row.value.count)))
    case 1: row.key[Int(random.next() % UInt64(row.key.count))] ^= UInt8(1 << (random.next() % 8))
    default:
      for _ in 0..<3 {
        let index = Int(random.next() % UInt64(min(row.value.count, 200)))
        row.value[index] ^= UInt8(1 << (random.next() % 8))
      }
    }
    try environment.write { (transaction) throws(LMDBError) in
      try transaction.put(table, row.key.span, row.value.span)
    }
  }
}

/// Returns sorted distinct entries of one of several shapes: hashes, postings, dense or repeated
/// keys.
func runsEntries(_ random: inout RunsRandom, count: Int) -> [RunEntry] {
  let shape = random.next() % 6
  var entries: Set<RunEntry> = []
  for index in 0..<count {
    let value = UInt32(truncatingIfNeeded: random.next() >> (32 + random.next() % 32))
    switch shape {
    case 0: entries.insert(RunEntry(key: random.next() >> 16, value: value))
    case 1: entries.insert(RunEntry(key: (random.next() % 50) << 32 | random.next() % 5000))
    case 2: entries.insert(RunEntry(key: UInt64(index)))
    case 3: entries.insert(RunEntry(key: random.next() % 4, value: value))
    case 4: entries.insert(RunEntry(key: random.next(), value: .max - value))
    default: entries.insert(RunEntry(key: random.next() >> (random.next() % 64), value: value))
    }
  }
  return entries.sorted()
}

/// A small random number generator, so that a seed gives the same history everywhere.
///
/// Guy Steele, Doug Lea, Christine Flood, "Fast splittable pseudorandom number generators" (2014).
struct RunsRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
