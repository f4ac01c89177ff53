import LMDB
import Testing

@Suite("Tables") struct TableTests {
  @Test("what was committed is read back") func committedRead() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.set(table, "key", "value")
    #expect(try environment.text(table, "key") == "value")
    #expect(try environment.text(table, "other") == nil)
  }

  @Test("what was committed is there after closing and opening") func committedThere() throws {
    let folder = try TemporaryFolder()
    let first = try folder.environment()
    try first.set(try first.createTable("t"), "key", "value")
    try first.close()
    let second = try folder.environment(.init(readOnly: true))
    let table = try #require(try second.table("t"))
    #expect(try second.text(table, "key") == "value")
  }

  @Test("tables of one environment are apart") func tablesOne() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let one = try environment.createTable("one")
    let two = try environment.createTable("two")
    try environment.set(one, "key", "1")
    #expect(try environment.text(two, "key") == nil)
    #expect(try environment.createTable("one") == one)
  }

  @Test("a table that does not exist is nil, and an error to a read-only environment")
  func tableDoes() throws {
    let folder = try TemporaryFolder()
    try folder.environment().close()
    let environment = try folder.environment(.init(readOnly: true))
    #expect(try environment.table("t") == nil)
    #expect(failure { () throws(LMDBError) in _ = try environment.createTable("t") } == .missing)
  }

  @Test("more tables than asked for are refused") func moreTables() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment(.init(maxTables: 1))
    _ = try environment.createTable("one")
    let code = failure { () throws(LMDBError) in _ = try environment.createTable("two") }
    #expect(code == .tablesFull)
  }

  @Test("tables that many threads open and create at once stay apart") func tablesMany()
    async throws
  {
    let folder = try TemporaryFolder()
    let names = (0..<40).map { "table \($0)" }
    do {
      let environment = try folder.environment(.init(sync: .onRequest))
      for name in names.prefix(20) { _ = try environment.createTable(name) }
    }
    let environment = try folder.environment(.init(sync: .onRequest))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for start in 0..<4 {
        group.addTask {
          for step in 0..<names.count {
            let name = names[(step + start * 10) % names.count]
            try environment.set(try environment.createTable(name), "name", name)
          }
        }
      }
      try await group.waitForAll()
    }
    for name in names {
      let table = try environment.createTable(name)
      #expect(try environment.text(table, "name") == name)
      #expect(try environment.contents(table).count == 1)
    }
  }

  @Test("a name that LMDB would cut or refuse is refused", arguments: ["", "a\0b"])
  func nameLMDB(_ name: String) throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let code = failure { () throws(LMDBError) in _ = try environment.createTable(name) }
    #expect(code == .badArgument)
  }

  @Test("keys of numbers sort as the numbers") func keysNumbers() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.write { transaction in
      for number: UInt64 in [256, 1, .max, 255, 65_536] {
        try transaction.put(table, number, bytes("\(number)").span)
      }
    }
    let order = try environment.contents(table).map { String(decoding: $0[1], as: UTF8.self) }
    #expect(order == ["1", "255", "256", "65536", "\(UInt64.max)"])
    try environment.read { transaction in
      expect(try transaction.get(table, 256)?.count == 3)
      expect(try !transaction.contains(table, bigEndianKey(UInt64(257)).span))
    }
  }

  @Test("keys that are empty or too long are refused", arguments: [0, 512])
  func keysEmpty(_ count: Int) throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    let key = [UInt8](repeating: 1, count: count)
    let put = failure { () throws(LMDBError) in
      try environment.write { transaction throws(LMDBError) in
        try transaction.put(table, key.span, key.span)
      }
    }
    #expect(put == .keySize)
    if count == 0 {
      let get = failure { () throws(LMDBError) in
        try environment.read { transaction throws(LMDBError) in
          _ = try transaction.contains(table, key.span)
        }
      }
      #expect(get == .keySize)
    }
  }

  @Test("the longest key and values of every size of page come back whole") func longestKey() throws
  {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    for size in [0, 1, 2021, 2022, 2023, 4096, 100_000] {
      let key = [UInt8](repeating: 7, count: keySizeBytesMax)
      let value = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try environment.write { transaction in
        try transaction.put(table, key.span, value.span)
      }
      #expect(try environment.contents(table) == [[key, value]])
    }
  }

  @Test("inserting leaves what is there") func insertingLeaves() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.write { transaction in
      expect(try transaction.insert(table, bytes("k").span, bytes("1").span))
      expect(try !transaction.insert(table, bytes("k").span, bytes("2").span))
    }
    #expect(try environment.text(table, "k") == "1")
  }

  @Test("appending out of order is refused") func appendingOut() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.write { transaction in
      try transaction.append(table, 5, bytes("a").span)
      for number: UInt64 in [5, 4] {
        do throws(LMDBError) {
          try transaction.append(table, number, bytes("b").span)
          Issue.record("\(number) was appended")
        } catch { #expect(error.code == .outOfOrder) }
      }
      try transaction.append(table, 6, bytes("c").span)
    }
    #expect(try environment.contents(table).map { $0[1] } == [bytes("a"), bytes("c")])
  }

  @Test("reserved room starts as zeros and keeps what is written there") func reservedRoom() throws
  {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.write { transaction in
      try transaction.put(table, bytes("k").span, bytes("old text").span)
      try transaction.reserve(table, bytes("k").span, byteCount: 8) {
        room throws(LMDBError) in
        for index in 0..<8 { expect(room[index] == 0) }
        room[3] = 9
      }
    }
    #expect(try environment.contents(table).map { $0[1] } == [[0, 0, 0, 9, 0, 0, 0, 0]])
  }

  @Test("deleting says whether there was something") func deletingSays() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.write { transaction in
      try transaction.put(table, 1, bytes("a").span)
      expect(try transaction.delete(table, 1))
      expect(try !transaction.delete(table, 1))
    }
    #expect(try environment.contents(table).isEmpty)
  }

  @Test("a cleared table is empty and can be filled again") func clearedTable() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.write { transaction in
      for number: UInt64 in 0..<1000 { try transaction.append(table, number, bytes("x").span) }
    }
    try environment.write { transaction in
      expect(try transaction.statistics(table).entries == 1000)
      try transaction.clear(table)
      expect(try transaction.statistics(table).entries == 0)
      try transaction.append(table, 0, bytes("y").span)
    }
    #expect(try environment.contents(table).count == 1)
  }

  @Test("numbers load from any offset, in either order") func numbersLoad() throws {
    let row: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7, 8]
    #expect(row.span.littleEndian(UInt32.self, at: 1) == 0x0403_0201)
    #expect(row.span.bigEndian(UInt64.self, at: 1) == 0x0102_0304_0506_0708)
    #expect(row.span.littleEndian(UInt8.self, at: 8) == 8)
  }

  @Test("loading beyond the bytes stops the process") func loadingBeyond() async {
    await #expect(processExitsWith: .failure) {
      let row: [UInt8] = [0, 1, 2, 3]
      _ = row.span.littleEndian(UInt32.self, at: 1)
    }
  }

  @Test("using a table with another environment stops the process") func usingTable() async {
    await #expect(processExitsWith: .failure) {
      let one = try TemporaryFolder()
      let two = try TemporaryFolder()
      let table = try one.environment().createTable("t")
      let other = try two.environment()
      _ = try other.createTable("t")
      _ = try other.text(table, "k")
    }
  }
}
