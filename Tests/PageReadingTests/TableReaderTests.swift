import Foundation
import LMDB
import PageReading
import Testing

@Suite("Reading tables of damaged files") struct TableReaderTests {
  private struct Row: Hashable {
    let key: [UInt8]
    let value: [UInt8]
  }

  /// The rows of a table as LMDB gives them.
  private func rowsByLMDB(_ data: Data, _ name: String) throws -> [Row] {
    let folder = try FilledFolder(copying: data)
    let environment = try Environment.open(folder.path, options: PageCheckTests.options)
    let table = try #require(try environment.table(name))
    return try environment.read { (transaction) throws(LMDBError) in
      var rows: [Row] = []
      var cursor = try transaction.cursor(table)
      while try cursor.next() {
        rows.append(
          Row(key: [UInt8](copying: cursor.key), value: [UInt8](copying: cursor.value)))
      }
      return rows
    }
  }

  private func rows(_ data: Data, _ name: String, outside: Bool = false) throws -> [Row] {
    let folder = try FilledFolder(copying: data)
    let file = try #require(try PageFile(folder.file))
    let meta = try #require(file.plausibleMetas.first)
    var reader = TableReader(file, meta)
    var rows: [Row] = []
    func take(_ page: TreePage) {
      for node in 0..<page.count {
        do throws(PageDoubt) {
          rows.append(Row(key: Array(page.key(node)), value: try file.value(page, node)))
        } catch { Issue.record("page \(page.number): \(error.reason)") }
      }
    }
    reader.forEachLeaf(of: name, take)
    if outside { reader.forEachLeafOutside(take) }
    return rows
  }

  @Test("gives the rows that LMDB gives, in their order", arguments: 0..<6)
  func sameRows(_ seed: UInt64) throws {
    let whole = try FilledFolder(seed: seed).contents()
    for name in FilledFolder.tables {
      #expect(try rows(whole, name) == rowsByLMDB(whole, name), "\(name)")
    }
  }

  @Test("gives the rest of a table with a damaged leaf, and all of one with a damaged branch")
  func rest() throws {
    let whole = try FilledFolder(seed: 2, commits: 60).contents()
    let all = try rowsByLMDB(whole, "numbers")
    var partly = 0
    var recovered = 0
    for page in 2..<whole.count / FilledFolder.pageBytes where whole.flags(page) < 3 {
      let damaged = whole.overwritten(page, at: 10, [64])
      let found = try rows(damaged, "numbers")
      if found.count == all.count { continue }
      #expect(Set(found).isSubset(of: all))
      if whole.flags(page) == 2 {
        partly += found.isEmpty ? 0 : 1
      } else {
        // What the branch led to is found outside of the tree.
        let wide = try Set(rows(damaged, "numbers", outside: true))
        #expect(wide.isSuperset(of: all))
        recovered += 1
      }
    }
    #expect(partly > 10)
    #expect(recovered > 0)
  }

  @Test("gives the rows of every damaged leaf, however many there are") func manyLeaves() throws {
    let folder = try FilledFolder(copying: Data())
    let environment = try Environment.open(
      folder.path, options: .init(mapSize: 1 << 26, sync: .onRequest))
    let table = try environment.createTable("numbers")
    var transaction = try environment.beginWrite()
    for number: UInt64 in 0..<3600 {
      try transaction.append(table, number, [UInt8](repeating: 7, count: 1200).span)
    }
    try transaction.commit()
    try environment.close()
    var damaged = try folder.contents()
    var leaves = 0
    for page in 2..<damaged.count / FilledFolder.pageBytes where damaged.flags(page) == 2 {
      let isTables =
        damaged[page * FilledFolder.pageBytes..<(page + 1) * FilledFolder.pageBytes]
        .range(of: Data("numbers".utf8)) != nil
      if isTables { continue }
      damaged[page * FilledFolder.pageBytes + 10] = 0x12
      leaves += 1
    }
    try #require(leaves > TreeWalk.faultsMax)
    let found = try rows(damaged, "numbers", outside: true).filter { $0.value.count == 1200 }
    #expect(Set(found).count == 3600)
  }

  @Test("finds no rows in a file that is cut before its first page of a table")
  func cut() throws {
    let whole = try FilledFolder(seed: 1).contents()
    // A meta page can be read before a whole page is there.
    for length in [200, 4_095, 4_096, 5_000, 8_191, 8_192, 9_000] {
      let folder = try FilledFolder(copying: whole.prefix(length))
      let file = try #require(try PageFile(folder.file))
      let meta = try #require(file.plausibleMetas.first)
      let reader = TableReader(file, meta)
      #expect(reader.faults.count == 1, "\(length) bytes")
      #expect(reader.faults.first?.reason.contains("only meta pages") == true, "\(length) bytes")
      #expect(reader.entries.isEmpty)
    }
  }

  @Test("survives whatever the file holds", arguments: 0..<4)
  func noise(_ seed: UInt64) throws {
    var numbers = SeededNumbers(seed)
    let whole = try FilledFolder(seed: seed, commits: 12).contents()
    for _ in 0..<200 {
      var data = whole
      for _ in 0..<4 { data = data.damaged(&numbers) }
      let folder = try FilledFolder(copying: data)
      let file = try #require(try PageFile(folder.file))
      for meta in file.plausibleMetas {
        var reader = TableReader(file, meta)
        var count = 0
        for name in FilledFolder.tables { reader.forEachLeaf(of: name) { count += $0.count } }
        reader.forEachLeafOutside { count += $0.count }
        #expect(count < whole.count)
      }
    }
  }
}
