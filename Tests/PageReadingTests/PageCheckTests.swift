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
    let list = whole.half(newest + 80)
    try #require(whole.flags(list) == 2)
    // The last number of the first row, which is its lowest one.
    let node = whole.half(list * pageBytes + 16)
    let count = whole.half(list * pageBytes + node + 16)
    try #require(count > 1)
    let limit = whole.half(list * pageBytes + node + 16 + 8 * (count - 1))
    var found = 0
    for page in 2..<limit {
      let bytes = [UInt8(page & 255), UInt8(page >> 8)]
      let faults = try Self.faults(whole.overwritten(list, at: node + 16 + 8 * count, bytes))
      if faults.map(\.page) == [UInt64(page)] {
        #expect(faults[0].reason == "it is listed as free, and it is in use")
        found += 1
      }
    }
    #expect(found > 0)
  }

  /// Each rule by itself, with the page and the words for it.
  @Test("says what is wrong with a page") func reasons() throws {
    let whole = try FilledFolder(seed: 9, commits: 80).contents()
    let folder = try FilledFolder(copying: whole)
    let file = try #require(try PageFile(folder.file))
    let meta = try #require(file.plausibleMetas.first)
    var reader = TableReader(file, meta)
    var leaves: [TreePage] = []
    reader.forEachLeaf(of: "numbers") { leaves.append($0) }
    try #require(leaves.count > 4)
    let leaf = leaves[2]
    let number = Int(leaf.number)
    func half(_ offset: Int) -> Int { whole.half(number * FilledFolder.pageBytes + offset) }
    func expect(_ page: Int, at offset: Int, _ bytes: [UInt8], _ reason: String) throws {
      let faults = try Self.faults(whole.overwritten(page, at: offset, bytes))
      #expect(
        faults.contains { $0.page == UInt64(page) && $0.reason.contains(reason) },
        "\(reason): \(faults)")
    }
    try expect(number, at: 0, [1, 2], "it says that it is page 513")
    try expect(number, at: 10, [1], "node")
    try expect(number, at: 10, [0x12], "flags are 18")
    try expect(number, at: 12, [15], "free space")
    let (first, second) = (half(16), half(18))
    try expect(number, at: second + 6, [6], "is not where the one before it ends")
    try expect(number, at: 16, whole.bytes(second) + whole.bytes(first), "not in order")
    try expect(number, at: first + 8, [0, 0, 0, 0, 0, 0, 0, 0], "belong before it")
    let last = half(16 + 2 * (leaf.count - 1))
    try expect(number, at: last + 8, [255, 0, 0, 0, 0, 0, 0, 0], "belong after it")
    // The branch above leads to the leaf before it once more.
    let (branch, node) = try #require(try Self.branch(to: number, in: whole))
    let other = Int(leaves[1].number)
    let changed = try Self.faults(whole.overwritten(branch, at: node, whole.bytes(other)))
    #expect(changed.contains { $0.page == UInt64(other) && $0.reason.contains("and so does") })
    // A large value with too few pages.
    var large: [UInt64] = []
    reader.forEachLeaf(of: "large") { page in
      for node in 0..<page.count {
        if case .pages(let first, _) = page.value(node) { large.append(first) }
      }
    }
    let value = Int(try #require(large.last))
    try expect(value, at: 12, [0, 0], "and needs")
    try expect(value, at: 12, [255, 255], "file ends before them")
  }

  /// The branch of the newest commit that leads to a page, and the node that does.
  private static func branch(to page: Int, in whole: Data) throws -> (Int, Int)? {
    for branch in 2..<whole.count / FilledFolder.pageBytes where whole.flags(branch) == 1 {
      let start = branch * FilledFolder.pageBytes
      for offset in stride(from: 16, to: whole.half(start + 12), by: 2) {
        let node = whole.half(start + offset)
        guard whole.half(start + node) == page else { continue }
        let faults = try Self.faults(whole.overwritten(branch, at: 10, [64]))
        if !faults.isEmpty { return (branch, node) }
      }
    }
    return nil
  }

  @Test("refuses metas that LMDB would follow out of the file") func metas() throws {
    let whole = try FilledFolder(seed: 6).contents()
    #expect(try Self.isSound(whole))
    for page in 0..<2 {
      // Magic, version, page size, flags of both trees, their levels, and what is not theirs.
      for (offset, bytes) in [
        (0, [9]), (10, [0]), (10, [0x18]), (16, [0]), (20, [2]), (40, [1, 0, 0, 0]), (44, [4]),
        (92, [4]),
      ] as [(Int, [UInt8])] {
        #expect(try !Self.isSound(whole.overwritten(page, at: offset, bytes)), "\(page) \(offset)")
      }
    }
    let newest = whole[144] > whole[FilledFolder.pageBytes + 144] ? 0 : 1
    for (offset, bytes) in [
      (46, [200]), (94, [0]), (94, [9]), (96, [255]), (120, [9, 9]), (80, [1]), (128, [1]),
      (136, [2, 0, 0]), (139, [1]),
    ] as [(Int, [UInt8])] {
      #expect(try !Self.isSound(whole.overwritten(newest, at: offset, bytes)), "\(offset)")
    }
  }

  private static func commit(
    _ round: UInt64, _ environment: Environment, _ table: Table
  ) throws(LMDBError) {
    var transaction = try environment.beginWrite()
    for key in 0..<UInt64(40) {
      let size = 500 + Int(round * 31 + key * 17) % 1400
      try transaction.put(table, key, [UInt8](repeating: 1, count: size).span)
    }
    try transaction.commit()
  }

  @Test("checks one commit while other commits go on") func meanwhile() async throws {
    let folder = try FilledFolder(seed: 8)
    let environment = try Environment.open(folder.path, options: Self.options)
    let table = try environment.createTable("texts")
    try await withThrowingTaskGroup { group in
      group.addTask {
        // Rows of many pages, so that each commit uses pages again that another one has left.
        for round: UInt64 in 0..<2000 { try Self.commit(round, environment, table) }
      }
      for _ in 0..<60 {
        let faults = try PageCheck.check(environment).faults
        #expect(faults == [])
        await Task.yield()
      }
      try await group.waitForAll()
    }
    try environment.close()
  }

  @Test("says which meta page is damaged where LMDB would only map more than there is")
  func pageCounts() throws {
    let whole = try FilledFolder(seed: 6).contents()
    let newest = whole[144] > whole[FilledFolder.pageBytes + 144] ? 0 : 1
    for (offset, byte) in [(140, 0x08), (141, 0x80), (142, 0x02), (143, 0x80)] as [(Int, UInt8)] {
      let damaged = whole.overwritten(newest, at: offset, [byte])
      #expect(try Self.faults(damaged).contains { $0.page == UInt64(newest) }, "\(offset)")
    }
  }

  @Test("leaves an error that no meta page causes as it is") func otherErrors() throws {
    let folder = try FilledFolder(seed: 6)
    for code in [LMDBError.Code.mapResized, .system(12)] {
      let error = LMDBError(code, operation: "open")
      #expect(try PageCheck.damagedMetas(of: folder.path, thatCause: error) == nil)
    }
    let damaged = try folder.contents().overwritten(0, at: 143, [0x80])
    let copy = try FilledFolder(copying: damaged)
    let error = LMDBError(.mapFull, operation: "open")
    #expect(try PageCheck.damagedMetas(of: copy.path, thatCause: error) == nil)
  }

  @Test("says which meta page is damaged, not that there is no file") func metaFaults() throws {
    let whole = try FilledFolder(seed: 6).contents()
    for page in 0..<2 {
      let damaged = whole.overwritten(page, at: 10, [0x18])
      #expect(try Self.faults(damaged).contains { $0.page == UInt64(page) })
    }
  }
}
