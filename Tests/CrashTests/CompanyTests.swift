import Foundation
import LMDB
import LedgerEvents
import LedgerQueries
import Testing

/// The observations of a reader in another process.
private struct Watch {
  var questions = 0
  var torn = 0
  var backwards = 0

  init(_ lines: [String]) throws {
    let line = try #require(lines.first { $0.hasPrefix("questions") }, "\(lines)")
    let words = line.split(separator: " ")
    questions = Int(words[1]) ?? 0
    torn = Int(words[3]) ?? 0
    backwards = Int(words[5]) ?? 0
  }
}

@Suite("Many who append beside many who ask", .serialized)
struct CompanyTests {
  private static let tasks = 16
  private static let batches = 25

  /// Appends from tasks and from another process, in turn, while four other processes read.
  private func company(
    torn: Bool
  ) async throws -> (acknowledged: [Name: UInt64], ledger: Ledger, watches: [Watch]) {
    // The files are removed with it at the end. Mapped data stays readable until the ledger is
    // closed.
    let killed = try KilledLedger(seed: 0, count: 1)
    defer { withExtendedLifetime(killed) {} }
    let ledger = try killed.open()
    // Create the projections before the readers start.
    try await ledger.append([Self.grant("first", 0, "a"), Self.grant("first", 0, "b")])
    let names = (0..<Self.tasks).map { "task-\($0)" }
    let total = 2 + 2 * Self.batches * (Self.tasks + 1)
    let readers = try (0..<4).map { _ in
      try CrashingChild(["watch", killed.path, "\(total)"] + names + ["other"])
    }
    for reader in readers { #expect(reader.line() == "watching") }
    if torn {
      // The half batch stays until each reader has seen it. Later it is a duplicate.
      try await ledger.append([Self.grant(names[0], 0, "a")])
      for reader in readers { #expect(reader.line() == "torn") }
    }
    let other = try CrashingChild(
      ["grant", killed.path, "other", "\(Self.batches)"] + (torn ? ["--torn"] : []))
    let acknowledged = try await append(names, torn: torn, to: ledger)
    #expect(other.finish().last == "done")
    let watches = try readers.map { try Watch($0.finish()) }
    return (acknowledged, ledger, watches)
  }

  private func append(
    _ names: [String], torn: Bool, to ledger: Ledger
  ) async throws -> [Name: UInt64] {
    try await withThrowingTaskGroup(of: [Name: UInt64].self) { group in
      for name in names {
        group.addTask {
          var positions: [Name: UInt64] = [:]
          for number in 0..<Self.batches {
            let halves = [Self.grant(name, number, "a"), Self.grant(name, number, "b")]
            let batches = torn ? halves.map { [$0] } : [halves]
            for batch in batches {
              let result = try await ledger.append(batch)
              for (input, outcome) in zip(batch, result.outcomes) {
                positions[input.event.id] = outcome.position
              }
            }
          }
          return positions
        }
      }
      return try await group.reduce(into: [:]) { all, some in
        all.merge(some) { first, _ in first }
      }
    }
  }

  private static func grant(_ name: String, _ number: Int, _ half: String) -> EventInput {
    let id = "\(name)-\(number)-\(half)"
    return EventInput(
      event: Event(
        id: Name(id), type: EventType(.transactionPurchased),
        occurredAt: Instant(microseconds: 1_700_000_000_000_000 + Int64(number)),
        source: EventSource(.storekit1), account: Name(name), product: Name("product-\(id)"),
        transaction: Name("transaction-\(id)")))
  }

  @Test("lose nothing, double nothing, and see no half batch")
  func together() async throws {
    let (acknowledged, ledger, watches) = try await company(torn: false)
    var ids: [Name] = []
    try ledger.read { (view) throws(LedgerError) in
      try view.events(EventsQuery()) { (recorded) throws(LedgerError) in
        ids.append(recorded.event.id)
        return true
      }
    }
    #expect(ids.count == 2 + 2 * Self.batches * (Self.tasks + 1))
    #expect(Set(ids).count == ids.count)
    #expect(acknowledged.count == 2 * Self.batches * Self.tasks)
    #expect(acknowledged.allSatisfy { ids[Int($0.value) - 1] == $0.key })
    for watch in watches {
      #expect(watch.questions > Self.tasks)
      #expect(watch.torn == 0)
      #expect(watch.backwards == 0)
    }
    #expect(try ledger.log.verify().faults.isEmpty)
  }

  @Test("would see half a batch if there were one")
  func control() async throws {
    let (_, _, watches) = try await company(torn: true)
    #expect(watches.allSatisfy { $0.torn > 0 })
  }
}
