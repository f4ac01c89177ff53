import Foundation
import GRDB
import SQLiteRows
import Testing

@Suite("Rows that are inserted into SQLite") struct RowInsertsTests {
  /// A cell, for both ways in which rows are inserted here.
  enum Cell: Equatable {
    case absent
    case number(Int64)
    case text(String)
  }

  private func table() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a ANY, b ANY, \"c\" ANY) STRICT") }
    return queue
  }

  private func batch(_ rows: [[Cell]]) -> RowBatch {
    var batch = RowBatch()
    for row in rows {
      for cell in row {
        switch cell {
        case .absent: batch.skip()
        case .number(let number): batch.append(number)
        case .text(let text): batch.append(text)
        }
      }
      batch.endRow()
    }
    return batch
  }

  private func value(_ cell: Cell) -> (any DatabaseValueConvertible)? {
    switch cell {
    case .absent: nil
    case .number(let number): number
    case .text(let text): text.utf8.contains(0) ? Data(text.utf8) : text
    }
  }

  /// The rows of the table, as SQLite's `quote` writes their values.
  private func quoted(_ queue: DatabaseQueue) throws -> [[String]] {
    try queue.read { database in
      try Row.fetchAll(database, sql: "SELECT quote(a), quote(b), quote(c) FROM t ORDER BY rowid")
        .map { [$0[0], $0[1], $0[2]] }
    }
  }

  @Test("come out as they went in, whatever is in them") func values() throws {
    let rows: [[Cell]] = [
      [.text("one"), .number(1), .text("it's")],
      [.absent, .absent, .absent],
      [.text(""), .number(.min), .absent],
      [.absent, .number(.max), .text("ä€😀")],
      [.text("a\u{0}b"), .text("\u{0}"), .text(String(repeating: "long ", count: 1_000))],
      [.text("one"), .number(2), .text("again")],
    ]
    let queue = try table()
    try queue.write { database in
      var inserts = RowInserts(into: "t", columns: ["a", "b", "c"])
      try inserts.insert(batch(Array(rows[..<2])), database)
      try inserts.insert(batch([]), database)
      try inserts.insert(batch(Array(rows[2...])), database)
    }
    // What GRDB inserts, with its own arguments.
    let other = try table()
    try other.write { database in
      for row in rows {
        let values = row.map(value)
        try database.execute(
          sql: "INSERT INTO t VALUES (?, ?, ?)", arguments: StatementArguments(values))
      }
    }
    #expect(try quoted(queue) == quoted(other))
    #expect(try quoted(queue)[4][0] == "X'610062'")
    #expect(try quoted(queue)[2] == ["''", "-9223372036854775808", "NULL"])
  }

  @Test("are refused with SQLite's words, and none before is lost") func refused() throws {
    let queue = try table()
    try queue.write { database in
      try database.execute(sql: "CREATE UNIQUE INDEX one ON t (a)")
    }
    let rows: [[Cell]] = [
      [.text("one"), .absent, .absent], [.text("two"), .absent, .absent],
      [.text("one"), .number(3), .absent], [.text("three"), .absent, .absent],
    ]
    try queue.inDatabase { database in
      var inserts = RowInserts(into: "t", columns: ["a", "b", "c"])
      let error = #expect(throws: DatabaseError.self) {
        try inserts.insert(batch(rows), database)
      }
      #expect(error?.resultCode == .SQLITE_CONSTRAINT)
      #expect(error?.message == "UNIQUE constraint failed: t.a")
      // The statement can be used again.
      try inserts.insert(batch([[.text("four"), .absent, .absent]]), database)
    }
    #expect(try quoted(queue).map { $0[0] } == ["'one'", "'two'", "'four'"])
  }
}
