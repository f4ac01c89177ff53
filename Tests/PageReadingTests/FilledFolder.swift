import Foundation
import LMDB

/// Random numbers that are the same in each run.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// A folder with an environment of several tables, filled and changed at random, and removed after
/// the test.
final class FilledFolder {
  static let tables = ["numbers", "texts", "large", "empty"]
  static let pageBytes = 4096

  let path: String

  init(copying data: Data) throws {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "page-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
    try data.write(to: URL(filePath: file))
  }

  init(seed: UInt64, commits: Int = 30) throws {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "page-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
    let environment = try Environment.open(path, options: .init(sync: .onRequest))
    var numbers = SeededNumbers(seed)
    let tables = try Self.tables.map { (name) throws(LMDBError) in
      try environment.createTable(name)
    }
    var last: UInt64 = 0
    for _ in 0..<commits {
      var transaction = try environment.beginWrite()
      for _ in 0..<Int.random(in: 1...40, using: &numbers) {
        last += 1
        let value = [UInt8](repeating: 7, count: Int.random(in: 0...300, using: &numbers))
        try transaction.append(tables[0], last, value.span)
      }
      for _ in 0..<Int.random(in: 0...30, using: &numbers) {
        let size = Int.random(in: 1...200, using: &numbers)
        let key = (0..<size).map { _ in UInt8.random(in: 0...3, using: &numbers) }
        if Int.random(in: 0..<3, using: &numbers) == 0 {
          _ = try transaction.delete(tables[1], key.span)
        } else {
          try transaction.put(tables[1], key.span, key.span)
        }
      }
      for _ in 0..<Int.random(in: 0...3, using: &numbers) {
        let key = UInt64.random(in: 0...9, using: &numbers)
        if Int.random(in: 0..<3, using: &numbers) == 0 {
          _ = try transaction.delete(tables[2], key)
        } else {
          let size = Int.random(in: 1000...20_000, using: &numbers)
          try transaction.put(tables[2], key, [UInt8](repeating: 9, count: size).span)
        }
      }
      try transaction.commit()
    }
    try environment.close()
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
  }

  var file: String { "\(path)/\(Environment.dataFileName)" }

  func contents() throws -> Data { try Data(contentsOf: URL(filePath: file)) }
}

extension Data {
  /// The little-endian number of two bytes at `offset`.
  func half(_ offset: Int) -> Int { Int(self[offset]) | Int(self[offset + 1]) << 8 }

  /// A number as two bytes.
  func bytes(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }

  /// The flags of a page.
  func flags(_ page: Int) -> Int { half(page * FilledFolder.pageBytes + 10) }

  /// The page with other bytes from `offset` on.
  func overwritten(_ page: Int, at offset: Int, _ bytes: [UInt8]) -> Data {
    var changed = self
    let start = page * FilledFolder.pageBytes + offset
    changed.replaceSubrange(start..<start + bytes.count, with: bytes)
    return changed
  }

  /// Damages a page at random, in one of the ways of a disk or of a program that went wrong.
  func damaged(_ numbers: inout SeededNumbers) -> Data {
    let pageBytes = FilledFolder.pageBytes
    let page = Int.random(in: 0..<count / pageBytes, using: &numbers)
    switch Int.random(in: 0..<6, using: &numbers) {
    case 0, 1:
      let reach = Bool.random(using: &numbers) ? 64 : pageBytes
      let at = Int.random(in: 0..<reach, using: &numbers)
      let byte = self[page * pageBytes + at] ^ 1 << UInt8.random(in: 0..<8, using: &numbers)
      return overwritten(page, at: at, [byte])
    case 2:
      let at = Int.random(in: 0..<pageBytes, using: &numbers)
      return overwritten(page, at: at, [UInt8.random(in: 0...255, using: &numbers)])
    case 3: return overwritten(page, at: 0, [UInt8](repeating: 0, count: pageBytes))
    case 4:
      let other = Int.random(in: 0..<count / pageBytes, using: &numbers) * pageBytes
      return overwritten(page, at: 0, Array(self[other..<other + pageBytes]))
    default:
      let start = 512 * Int.random(in: 0..<8, using: &numbers)
      let noise = (0..<512).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      return overwritten(page, at: start, noise)
    }
  }
}
