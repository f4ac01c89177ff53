import Foundation
import LMDB
import PageReading
import Testing

@Suite("Checking pages") struct PageCheckTests {
  /// Enough of a map for the tests, so that a number beyond it is beyond the map.
  static let options = Environment.Options(mapSize: 1 << 26, sync: .onRequest)

  static func faults(_ data: Data) throws -> [PageFault] {
    let folder = try FilledFolder(copying: data)
    return try PageCheck.check(folder: folder.path, options: options).faults
  }

  /// What the check says; a refusal to open the file counts as one more fault.
  static func isSound(_ data: Data) throws -> Bool {
    do { return try faults(data).isEmpty } catch let error as LMDBError {
      guard error.code == .invalidFile || error.code == .truncated || error.code == .versionMismatch
      else { throw error }
      return false
    }
  }

  /// Reads everything, and writes and commits, as LMDB does it.
  static func walkWithLMDB(_ data: Data) throws {
    let folder = try FilledFolder(copying: data)
    let environment = try Environment.open(folder.path, options: options)
    for name in FilledFolder.tables {
      guard let table = try environment.table(name) else { continue }
      try environment.read { (transaction) throws(LMDBError) in
        var cursor = try transaction.cursor(table)
        while try cursor.next() {
          var sum = 0
          for index in cursor.key.indices { sum += Int(cursor.key[index]) }
          for index in cursor.value.indices { sum += Int(cursor.value[index]) }
          if sum < 0 { return }
        }
      }
      var transaction = try environment.beginWrite()
      for number: UInt64 in 0..<60 {
        let value = [UInt8](repeating: 1, count: 40 + Int(number % 7) * 900)
        try transaction.put(table, 77_000 + number, value.span)
      }
      for number: UInt64 in 0..<20 { _ = try transaction.delete(table, 77_000 + number) }
      try transaction.commit()
    }
    try environment.close()
  }

  @Test("finds nothing in files that LMDB wrote, whatever was done to them", arguments: 0..<24)
  func sound(_ seed: UInt64) throws {
    let folder = try FilledFolder(seed: seed, commits: 5 + Int(seed) * 6)
    #expect(try PageCheck.check(folder: folder.path, options: Self.options).faults == [])
    // A copy without free pages has other metas.
    let copy = try FilledFolder(copying: Data())
    let environment = try Environment.open(folder.path)
    try FileManager.default.removeItem(atPath: copy.file)
    try environment.copy(to: copy.path, compacting: true)
    try environment.close()
    #expect(try PageCheck.check(folder: copy.path, options: Self.options).faults == [])
    try Self.walkWithLMDB(try copy.contents())
  }

  @Test("names each page of a tree that is overwritten") func zeroed() throws {
    let whole = try FilledFolder(seed: 1).contents()
    var kinds: [Int: Int] = [:]
    for page in 2..<whole.count / FilledFolder.pageBytes {
      let zeros = [UInt8](repeating: 0, count: FilledFolder.pageBytes)
      let faults = try Self.faults(whole.overwritten(page, at: 0, zeros))
      if faults.isEmpty { continue }
      kinds[whole.flags(page), default: 0] += 1
      #expect(faults.contains { $0.page == UInt64(page) }, "page \(page): \(faults)")
    }
    // Branches, leaves and the beginnings of large values.
    for kind in [1, 2, 4] { #expect(kinds[kind, default: 0] > 0, "\(kinds)") }
  }

  /// The reason for all of this.
  @Test("what is found in order, LMDB can read and write without a signal", arguments: 0..<4)
  func noSignal(_ seed: UInt64) async {
    await #expect(processExitsWith: .success) { [seed] in
      var numbers = SeededNumbers(seed)
      let whole = try FilledFolder(seed: 100 + seed, commits: 12).contents()
      var found = (sound: 0, damaged: 0)
      for _ in 0..<250 {
        let data = whole.damaged(&numbers)
        guard try PageCheckTests.isSound(data) else {
          found.damaged += 1
          continue
        }
        found.sound += 1
        try PageCheckTests.walkWithLMDB(data)
      }
      guard found.sound > 20, found.damaged > 20 else { exit(2) }
    }
  }

  @Test("ends at a branch that leads to its parent, to itself, or to a page of another table")
  func loops() throws {
    let whole = try FilledFolder(seed: 3, commits: 60).contents()
    let pages = 2..<whole.count / FilledFolder.pageBytes
    var found = 0
    for page in pages where whole.flags(page) == 1 {
      let start = page * FilledFolder.pageBytes
      let node = whole.half(start + 16)
      for target in [page, pages.lowerBound, pages.upperBound - 1] {
        let bytes = [UInt8(target & 255), UInt8(target >> 8), 0, 0]
        let faults = try Self.faults(whole.overwritten(page, at: node, bytes))
        // Pages of earlier commits are still there, and nothing follows them.
        if !faults.isEmpty { found += 1 }
      }
    }
    #expect(found >= 3)
  }

  @Test("finds a free page that is in use, because LMDB would write over it") func freeInUse()
    throws
  {
    let whole = try FilledFolder(seed: 5, commits: 20).contents()
    let pageBytes = FilledFolder.pageBytes
    let newest = whole[144] > whole[pageBytes + 144] ? 0 : pageBytes
    let main = Array(whole[newest + 128..<newest + 136])
    let list = whole.half(newest + 80)
    try #require(whole.flags(list) == 2)
    // The last number of the first row: the value ends with the node.
    let node = whole.half(list * pageBytes + 16)
    let count = whole.half(list * pageBytes + node + 16)
    try #require(count > 0)
    let changed = whole.overwritten(list, at: node + 16 + 8 * count, main)
    let faults = try Self.faults(changed)
    #expect(faults.contains { $0.reason.contains("free") }, "\(faults)")
  }

  @Test("refuses metas that LMDB would follow out of the file") func metas() throws {
    let whole = try FilledFolder(seed: 6).contents()
    #expect(try Self.isSound(whole))
    for page in 0..<2 {
      // Magic, version, page size, flags of both trees, their levels, and what is not theirs.
      for (offset, bytes) in [
        (0, [9]), (10, [0]), (16, [0]), (20, [2]), (40, [1, 0, 0, 0]), (44, [4]), (92, [4]),
      ] as [(Int, [UInt8])] {
        #expect(try !Self.isSound(whole.overwritten(page, at: offset, bytes)), "\(page) \(offset)")
      }
    }
    let newest = whole[144] > whole[FilledFolder.pageBytes + 144] ? 0 : 1
    for (offset, bytes) in [
      (46, [200]), (94, [0]), (94, [9]), (96, [255]), (120, [9, 9]), (80, [1]), (128, [1]),
      (136, [2, 0, 0]),
    ] as [(Int, [UInt8])] {
      #expect(try !Self.isSound(whole.overwritten(newest, at: offset, bytes)), "\(offset)")
    }
  }

  @Test("checks one commit while another process's commits go on") func meanwhile() throws {
    let folder = try FilledFolder(seed: 8)
    let environment = try Environment.open(folder.path, options: Self.options)
    let table = try environment.createTable("texts")
    for round: UInt64 in 0..<50 {
      #expect(try PageCheck.check(environment).faults == [])
      var transaction = try environment.beginWrite()
      try transaction.put(table, round, [UInt8](repeating: 1, count: 3000).span)
      try transaction.commit()
    }
    try environment.close()
  }
}
