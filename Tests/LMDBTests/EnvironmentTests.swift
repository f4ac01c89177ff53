import LMDB
import Testing

@Suite struct EnvironmentTests {
  @Test func `What was committed is read back`() throws {
    let folder = try TemporaryFolder()
    let environment = try Environment.open(folder.path)
    let table = try environment.createTable("t")
    try environment.write { (transaction) throws(LMDBError) in
      try transaction.put(table, 7, [UInt8](arrayLiteral: 1, 2, 3).span)
    }
    let sum = try environment.read { (transaction) throws(LMDBError) -> Int in
      guard let value = try transaction.get(table, 7) else { return -1 }
      return value.count
    }
    #expect(sum == 3)
  }
}
