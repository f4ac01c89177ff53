import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import LogTesting
import Testing

@testable import LedgerStore

@Suite("A damaged row of the projections")
struct RowDamageTests {
  private let walk: LedgerWalk
  private let events: [RecordedEvent]
  private let before: LedgerStatement

  /// The tables whose rows carry a checksum.
  private static var tables: [KeyPath<ProjectionTables, RowTable>] {
    [
      \.units, \.pages, \.reports, \.answers, \.couplings, \.observed, \.unitMap, \.recorded,
    ]
  }

  init() throws {
    walk = try LedgerWalk()
    // Enough for a block of recorded times.
    var more = Histories.sparse(seed: 3, count: 900, accounts: 30)
    for index in more.indices { more[index].event.id = Name("s-\(more[index].event.id)") }
    events = Histories.dense(seed: 12, count: 150) + more
    try walk.append(events)
    try walk.ledger().fold()
    before = try LedgerStatement(walk.ledger(), LedgerQuestions(events))
  }

  /// What there was under a key, and what a flipped bit made of it.
  private struct Flip {
    var table: KeyPath<ProjectionTables, RowTable>
    var row: (key: [UInt8], value: [UInt8])
    var spoiled: (key: [UInt8], value: [UInt8])
  }

  /// Flips one bit of one row of a table, in its key or its value; nil if the table is empty.
  private func flip(
    _ path: KeyPath<ProjectionTables, RowTable>, _ random: inout SeededRandom
  ) throws -> Flip? {
    let projections = try #require(try walk.ledger().source.live())
    let rows = try rows(of: path, projections)
    guard !rows.isEmpty else { return nil }
    let row = rows[random.below(rows.count)]
    var spoiled = row
    let bit = random.below((row.key.count + row.value.count) * 8)
    let (index, mask) = (bit / 8, UInt8(1) << (bit % 8))
    if index < row.key.count {
      spoiled.key[index] ^= mask
    } else {
      spoiled.value[index - row.key.count] ^= mask
    }
    if spoiled.key != row.key, rows.contains(where: { $0.key == spoiled.key }) { return nil }
    let flip = Flip(table: path, row: row, spoiled: spoiled)
    try replace(flip.row, by: flip.spoiled, path, projections)
    return flip
  }

  private func rows(
    of path: KeyPath<ProjectionTables, RowTable>, _ projections: Projections
  ) throws -> [(key: [UInt8], value: [UInt8])] {
    let reading = try projections.beginRead()
    var rows: [(key: [UInt8], value: [UInt8])] = []
    var cursor = try reading.view.cursor(projections.tables[keyPath: path].table)
    while try cursor.next() {
      rows.append(([UInt8](copying: cursor.key), [UInt8](copying: cursor.value)))
    }
    return rows
  }

  private func replace(
    _ old: (key: [UInt8], value: [UInt8]), by new: (key: [UInt8], value: [UInt8]),
    _ path: KeyPath<ProjectionTables, RowTable>, _ projections: Projections
  ) throws {
    let table = projections.tables[keyPath: path].table
    try projections.environment.write { transaction in
      _ = try transaction.delete(table, old.key.span)
      try transaction.put(table, new.key.span, new.value.span)
    }
  }

  private func restore(_ flip: Flip) throws {
    let projections = try #require(try walk.ledger().source.live())
    try replace(flip.spoiled, by: flip.row, flip.table, projections)
  }

  /// Asks a process that only reads, and so repairs nothing.
  private func ask<Answer>(_ question: (Ledger) throws -> Answer) throws -> Answer {
    try walk.ledger().close()
    walk.close()
    let reader = try Ledger(at: walk.path, access: .readOnly, options: LedgerWalk.options)
    defer { #expect(throws: Never.self) { try reader.close() } }
    return try question(reader)
  }

  @Test("never changes an answer: it is right, or the question says that a rebuild is needed")
  func statement() throws {
    var random = SeededRandom(seed: 5)
    var refusals = 0
    for round in 0..<60 {
      guard let flip = try flip(Self.tables[round % Self.tables.count], &random) else { continue }
      do {
        let now = try ask { try LedgerStatement($0, LedgerQuestions(events)) }
        #expect(now.differences(from: before).isEmpty, "round \(round)")
      } catch let error as LedgerError {
        #expect(error.code == .rebuildNeeded)
        refusals += 1
      }
      try restore(flip)
    }
    #expect(refusals > 15)
  }

  @Test("never changes a lookup, not even of an account whose row is not found any more")
  func lookup() throws {
    let accounts = Set(events.compactMap(\.event.account)).sorted()
    let products = Set(events.compactMap(\.event.product)).sorted()
    let now = try #require(events.map(\.event.occurredAt).max())
    func answers(_ ledger: Ledger) throws -> [ItemAnswer?] {
      let lookup = AnswerLookup(ledger)
      defer { lookup.release() }
      var found: [ItemAnswer?] = []
      for account in accounts {
        for product in products {
          let question = ItemQuestion(
            account: account, item: ItemReference(product, isEntitlement: false),
            environments: [.production], at: nil, now: now)
          do throws(LedgerError) { found.append(try lookup.answer(question)) } catch {
            #expect(error.code == .rebuildNeeded)
            found.append(nil)
          }
        }
      }
      return found
    }
    let right = try ask(answers)
    #expect(right.contains { $0?.standing != nil } && !right.contains(nil))
    var random = SeededRandom(seed: 6)
    for round in 0..<30 {
      guard let flip = try flip(\.answers, &random) else { continue }
      let asked = try ask(answers)
      for (found, expected) in zip(asked, right) where found != nil {
        #expect(found == expected, "round \(round)")
      }
      // Where the key was hit, the answer comes from the unit.
      if flip.spoiled.key != flip.row.key { #expect(asked == right, "round \(round)") }
      try restore(flip)
    }
  }

  @Test("that a question meets is folded again by a process that may write")
  func repair() throws {
    var random = SeededRandom(seed: 7)
    var spoiled: Flip?
    while spoiled == nil || spoiled?.spoiled.key != spoiled?.row.key {
      if let flip = spoiled { try restore(flip) }
      spoiled = try flip(\.units, &random)
    }
    let ledger = try walk.ledger()
    try ledger.close()
    walk.close()
    let error = #expect(throws: LedgerError.self) {
      try LedgerStatement(walk.ledger(), LedgerQuestions(events))
    }
    #expect(error?.projectionDamage?.contains("units") == true)
    try walk.ledger().foldBeforeLeaving()
    #expect(try walk.ledger().repairedDamage?.contains("units") == true)
    let now = try LedgerStatement(walk.ledger(), LedgerQuestions(events))
    #expect(now.differences(from: before).isEmpty)
  }

  private func removeMapRow() throws {
    let projections = try #require(try walk.ledger().source.live())
    let key = try #require(try rows(of: \.unitMap, projections).first).key
    try projections.environment.write { transaction in
      _ = try transaction.delete(projections.tables.unitMap.table, key.span)
    }
  }

  @Test("of the map of units, if it is missing, is not taken for names that nobody used")
  func missingMapRow() throws {
    try removeMapRow()
    let error = #expect(throws: LedgerError.self) {
      try ask { try LedgerStatement($0, LedgerQuestions(events)) }
    }
    #expect(error?.code == .rebuildNeeded)
  }
}
