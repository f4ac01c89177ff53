import LMDB
import Testing

@Suite("Cursors") struct CursorTests {
  @Test("a cursor goes both ways and ends at both ends") func cursorGoes() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.write { transaction in
      for number: UInt64 in [2, 4, 6] { try transaction.append(table, number, bytes("v").span) }
    }
    try environment.read { transaction in
      var cursor = try transaction.cursor(table)
      expect(!cursor.isAtEntry)
      expect(try cursor.next())
      expect(cursor.key.bigEndian(UInt64.self, at: 0) == 2)
      expect(try cursor.last())
      expect(cursor.key.bigEndian(UInt64.self, at: 0) == 6)
      expect(try !cursor.next())
      expect(try cursor.first())
      expect(try !cursor.previous())
    }
  }

  @Test("seeking finds the key or the next one") func seekingFinds() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.write { transaction in
      for number: UInt64 in [2, 4, 6] { try transaction.append(table, number, bytes("v").span) }
    }
    try environment.read { transaction in
      var cursor = try transaction.cursor(table)
      expect(try cursor.seek(3))
      expect(cursor.key.bigEndian(UInt64.self, at: 0) == 4)
      expect(try cursor.find(6))
      expect(cursor.key.bigEndian(UInt64.self, at: 0) == 6)
      expect(try !cursor.find(5))
      expect(!cursor.isAtEntry)
      expect(try !cursor.seek(7))
    }
  }

  @Test("what a cursor lent stays as it was when it moves on") func cursorLent() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.write { transaction in
      for number: UInt64 in 1...2 { try transaction.append(table, number, bytes("\(number)").span) }
    }
    try environment.read { transaction in
      var cursor = try transaction.cursor(table)
      expect(try cursor.first())
      let value = cursor.value
      expect(try cursor.next())
      #expect([UInt8](copying: value) == bytes("1"))
    }
  }

  @Test("a table does what a sorted dictionary does", arguments: 1...8 as ClosedRange<UInt64>)
  func tableDoes(_ seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment(.init(sync: .onRequest))
    let table = try environment.createTable("t")
    var model: [UInt64: [UInt8]] = [:]
    var random = Random(state: seed)
    for _ in 0..<20 {
      let keepsChanges = random.next() % 4 != 0
      var changed = model
      try? environment.write { transaction throws(LMDBError) in
        for _ in 0..<50 {
          let key = random.next() % 64
          let value = [UInt8](repeating: UInt8(key), count: Int(random.next() % 3000))
          switch random.next() % 4 {
          case 0:
            let deleted = try transaction.delete(table, key)
            #expect(deleted == (changed.removeValue(forKey: key) != nil), "seed \(seed)")
          default:
            try transaction.put(table, key, value.span)
            changed[key] = value
          }
        }
        if !keepsChanges { throw LMDBError(LMDBError.stop) }
      }
      if keepsChanges { model = changed }
      let expected = model.sorted { $0.key < $1.key }.map(\.value)
      #expect(try environment.contents(table).map { $0[1] } == expected, "seed \(seed)")
    }
  }
}

extension LMDBError {
  /// An error for ending a transaction.
  static let stop: LMDBError = {
    do throws(LMDBError) {
      _ = try Environment.open("")
      preconditionFailure("opened nothing")
    } catch { return error }
  }()
}

/// SplitMix64 (Steele, Lea and Flood 2014): the same seed gives the same numbers everywhere.
struct Random {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
