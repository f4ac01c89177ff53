import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

/// Names of products and transactions that the hash tree can no longer prove, because something
/// beside the event that introduced them is missing.
@Suite("Salvage of names that nothing proves") struct SalvageNamesTests {
  private let whole: DamagedLedger

  init() throws { whole = try DamagedLedger() }

  /// A name, and a record in the block of 16 that introduces it.
  struct Damage: CustomTestStringConvertible {
    let name: String
    let position: Int
    var testDescription: String { name }
  }

  private static let product = Damage(name: "product-3", position: 2)
  private static let transaction = Damage(name: "transaction-100", position: 100)

  private static func row(_ name: String) -> [UInt8] {
    let kind = name.hasPrefix("product") ? NameKind.product : .transaction
    return [kind.rawValue] + Array(name.utf8)
  }

  /// The log with a damaged record, and a damaged name that the tree cannot prove without it.
  private func damaged(_ damage: Damage, _ change: (inout [UInt8]) -> Void) throws -> Data {
    let log = try whole.replaced(whole.records[damage.position]) { $0[$0.count - 12] ^= 1 }
    return try DamagedLedger.replaced(Self.row(damage.name), in: log, change)
  }

  /// The former positions of the events that use a name.
  private func uses(_ name: String) -> Set<UInt64> {
    Set(
      whole.events.filter { $0.event.product?.text == name || $0.event.transaction?.text == name }
        .map(\.position))
  }

  /// Salvages a log.
  ///
  /// - Returns: The report, and the former positions of saved events that have another product or
  ///   transaction now.
  private func salvage(
    _ log: Data, hasRoot: Bool = true
  ) throws -> (report: SalvageReport, changed: Set<UInt64>) {
    let copy = try whole.copy(log)
    if !hasRoot { try FileManager.default.removeItem(atPath: "\(copy)/root") }
    let report = try Ledger.salvage(copy, into: copy + "-new").report
    let saved = try EventLog.toVerify(copy + "-new")
    #expect(try saved.verify().damage == [])
    let events = try saved.allEvents()
    #expect(UInt64(events.count) == report.kept)
    let unbroken = report.unbrokenThrough
    let root = try saved.read { (view) throws(LedgerError) in try view.root(at: unbroken) }
    #expect(root == whole.roots[Int(unbroken)])
    try saved.close()
    let originals = Dictionary(uniqueKeysWithValues: whole.events.map { ($0.event.id, $0) })
    var changed: Set<UInt64> = []
    for event in events {
      let original = try #require(originals[event.event.id])
      if event.event.product != original.event.product
        || event.event.transaction != original.event.transaction
      {
        changed.insert(original.position)
      }
    }
    return (report, changed)
  }

  private static func positions(_ ranges: [ClosedRange<UInt64>]) -> Set<UInt64> {
    Set(ranges.flatMap { Array($0) })
  }

  @Test("lists every event that uses one, wherever it is", arguments: [product, transaction])
  func listed(_ damage: Damage) throws {
    let log = try damaged(damage) { $0[$0.count - 1] ^= 64 }
    let (report, changed) = try salvage(log)
    #expect(report.gaps.map(\.positions) == [UInt64(damage.position)...UInt64(damage.position)])
    #expect(changed == uses(damage.name))
    let listed = Self.positions(report.unprovenPositions)
    #expect(changed.isSubset(of: listed))
    #expect(UInt64(listed.count) == report.unproven)
    #expect(report.namesUnproven > 0)
    #expect(report.unbrokenThrough == UInt64(damage.position - 1) / 16 * 16)
    // The key file proves accounts, so an event that uses nothing else is not in doubt.
    #expect(!listed.contains(try whole.lastNote()))
  }

  @Test("leaves out the events of one that became another name, which the tree proves")
  func equalToProven() throws {
    // A hundred becomes three hundred.
    let log = try damaged(Self.transaction) { $0[$0.count - 3] ^= 2 }
    let (report, changed) = try salvage(log)
    #expect(changed == [])
    #expect(Self.positions(report.gaps.map(\.positions)) == [100, 101])
    #expect(report.gaps.last?.reason.contains("which the hash tree proves") == true)
  }

  @Test("leaves out the events of both names if nothing proves which one was damaged")
  func equalToUnproven() throws {
    let log = try damaged(Self.product) { $0[$0.count - 1] ^= 1 }
    let (report, changed) = try salvage(log)
    #expect(changed == [])
    #expect(
      Self.positions(report.gaps.map(\.positions))
        == uses("product-3").union(uses("product-2")).union([2]))
    #expect(report.gaps.contains { $0.reason.contains("the hash tree proves neither") })
  }

  @Test("saves the rest of a log without a root in whose last block a name became another one")
  func equalAtTheEnd() throws {
    // What the last transaction becomes is of an earlier block, or of the last one, too.
    for (byte, bit, left) in [(3, 2, [331]), (1, 1, [330, 331])] as [(Int, UInt8, Set<UInt64>)] {
      let log = try whole.replaced(Self.row("transaction-329")) { $0[$0.count - byte] ^= bit }
      let (report, changed) = try salvage(log, hasRoot: false)
      #expect(changed == [])
      #expect(Self.positions(report.gaps.map(\.positions)) == left)
      #expect(report.kept == DamagedLedger.count - UInt64(left.count))
    }
  }

  @Test("does not say that they are as they were, after the last whole block without a root")
  func end() throws {
    let log = try whole.replaced(Self.row("transaction-329")) { $0[$0.count - 1] ^= 64 }
    let (report, changed) = try salvage(log, hasRoot: false)
    #expect(changed == [331])
    #expect(report.unbrokenThrough == 320)
    #expect(report.unprovenPositions == [321...331])
    // Ten purchases and a note, whose account the key file proves.
    #expect(report.namesUnproven == 10)
    #expect(report.gaps == [] && !report.isComplete)
    // With the root, the bit is turned back.
    let repaired = try salvage(log)
    #expect(repaired.changed == [] && repaired.report.isComplete)
    #expect(repaired.report.namesUnproven == 0)
  }
}
