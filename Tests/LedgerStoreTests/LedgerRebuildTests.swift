import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import RunStorage
import Testing

@testable import LedgerStore

@Suite("Projections against the log")
struct LedgerRebuildTests {
  private let walk: LedgerWalk
  private let before: LedgerStatement

  init() throws {
    walk = try LedgerWalk()
    let dense = Histories.dense(seed: 11, count: 150)
    try walk.append(dense)
    try walk.ledger().fold()
    before = try LedgerStatement(walk.ledger(), LedgerQuestions(dense))
  }

  /// Changes the last row of a table in one byte, and makes its checksum anew as a program with a
  /// fault would, unless it is to be damaged.
  private func spoil(
    _ path: KeyPath<ProjectionTables, RowTable>, isDamage: Bool = false
  ) throws {
    let projections = try #require(try walk.ledger().source.live())
    try projections.environment.write { transaction in
      let table = projections.tables[keyPath: path]
      var key: [UInt8] = []
      var value: [UInt8] = []
      do {
        var cursor = try transaction.view.cursor(table.table)
        #expect(try cursor.last())
        key = [UInt8](copying: cursor.key)
        let content = try table.content(of: cursor.value, under: cursor.key)
        value = [UInt8](copying: content)
      }
      if isDamage {
        // The last bytes are of another checksum.
        let damaged = value + key.prefix(4) + key.prefix(4)
        try transaction.put(table.table, key.span, damaged.span)
      } else if value.isEmpty {
        _ = try transaction.delete(table.table, key.span)
      } else {
        // A row of the map ends with numbers that no name has, so the first name is changed there.
        value[path == \.unitMap ? 7 : value.count - 1] ^= 1
        try table.put(key.span, value, &transaction)
      }
    }
  }

  private func expectSame() throws {
    let now = try LedgerStatement(walk.ledger(), LedgerQuestions(walk.arrived))
    #expect(now.differences(from: before).isEmpty)
  }

  @Test(
    "that differ in one byte of a row are found out, and made good by a rebuild",
    arguments: 0..<6)
  func plantedRow(kind: Int) throws {
    let tables: [(KeyPath<ProjectionTables, RowTable>, String)] = [
      (\.units, "unit "), (\.answers, "answer "), (\.couplings, "coupling "),
      (\.observed, "observation "), (\.unitMap, "the unit of name"), (\.pages, "page "),
    ]
    #expect(try walk.ledger().checkProjections() == [])
    try spoil(tables[kind].0)
    let found = try walk.ledger().checkProjections()
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0.hasPrefix(tables[kind].1) }, "\(found)")
    try walk.ledger().rebuild()
    #expect(try walk.ledger().checkProjections() == [])
    try expectSame()
  }

  @Test("with a row that does not have its checksum are found out", arguments: 0..<7)
  func damagedRow(kind: Int) throws {
    let tables: [(KeyPath<ProjectionTables, RowTable>, String)] = [
      (\.units, "unit "), (\.answers, "answer "), (\.couplings, "coupling "),
      (\.observed, "observation "), (\.unitMap, "the units of names "),
      (\.pages, "page "), (\.reports, "report "),
    ]
    try spoil(tables[kind].0, isDamage: true)
    let found = try walk.ledger().checkProjections()
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.hasPrefix(tables[kind].1) && $0.contains("damaged") }, "\(found)")
    try walk.ledger().rebuild()
    #expect(try walk.ledger().checkProjections() == [])
  }

  @Test("that lack entries of an index are found out", arguments: [0, 1, 2])
  func plantedIndex(kind: Int) throws {
    let families: [(KeyPath<ProjectionTables, SortedRuns>, String)] = [
      (\.ids, "the index of ids differs"), (\.names, "the index of names differs"),
      (\.postings, "the index of units differs"),
    ]
    let projections = try #require(try walk.ledger().source.live())
    try projections.environment.write { transaction in
      try transaction.clear(projections.tables[keyPath: families[kind].0].table)
    }
    #expect(try walk.ledger().checkProjections() == [families[kind].1])
    try walk.ledger().rebuild()
    #expect(try walk.ledger().checkProjections() == [])
    try expectSame()
  }

  @Test("come back by themselves when their folder is deleted")
  func deletion() throws {
    try walk.take(.deletion)
    try expectSame()
    try walk.ledger().fold()
    try expectSame()
    #expect(try walk.ledger().checkProjections() == [])
    let again = try walk.ledger().appendAndWait(
      walk.arrived.map { EventInput(event: $0.event, position: 1, recordedAt: $0.recordedAt) })
    #expect(again.appendedCount == 0)
  }

  @Test("come back when their folder is deleted under an open ledger")
  func deletionWhileOpen() throws {
    try FileManager.default.removeItem(atPath: "\(walk.path)/\(Projections.folderName)")
    try expectSame()
    let more = Histories.realistic(seed: 2, count: 60)
    try walk.append(more)
    try walk.ledger().fold()
    #expect(try walk.ledger().checkProjections() == [])
    try walk.take(.oracle)
    let again = try walk.ledger().appendAndWait(more.map { EventInput(event: $0.event) })
    #expect(again.appendedCount == 0)
    walk.close()
    try walk.take(.oracle)
    #expect(walk.differences.isEmpty)
  }

  @Test("of a log that went another way are not used, and replaced by a rebuild")
  func restoredLog() throws {
    let files = FileManager.default
    let log = "\(walk.path)/\(EventLog.folderName)"
    try walk.ledger().close()
    walk.close()
    // Restores the log after something else was appended and folded.
    try files.copyItem(atPath: log, toPath: "\(walk.path)/backup")
    _ = try walk.ledger().appendAndWait(
      Histories.realistic(seed: 4, count: 30).map { EventInput(event: $0.event) })
    try walk.ledger().fold()
    try walk.ledger().close()
    walk.close()
    try files.removeItem(atPath: log)
    try files.moveItem(atPath: "\(walk.path)/backup", toPath: log)
    let other = Histories.realistic(seed: 5, count: 40).map { EventInput(event: $0.event) }
    do {
      let alone = try EventLog(open: walk.path, options: LedgerWalk.options)
      try alone.appendAndWait(other)
      try alone.close()
    }
    let refused = #expect(throws: LedgerError.self) {
      try LedgerStatement(walk.ledger(), LedgerQuestions(walk.arrived))
    }
    #expect(refused?.code == .rebuildNeeded)
    #expect(try walk.ledger().appendAndWait(other).appendedCount == 0)
    try walk.ledger().rebuild()
    #expect(try walk.ledger().checkProjections() == [])
    #expect(try walk.ledger().appendAndWait(other).appendedCount == 0)
  }

  @Test("are folded again also if somebody wrote the last number of a generation that there is")
  func lastGeneration() throws {
    try walk.ledger().log.setGeneration(.max)
    try walk.ledger().rebuild()
    #expect(try walk.ledger().checkProjections() == [])
  }
}
