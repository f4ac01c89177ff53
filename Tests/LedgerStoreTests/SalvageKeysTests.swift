import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

/// Damage to the slots of the key file.
@Suite("Salvage with keys that are zeros") struct SalvageKeysTests {
  private let whole: DamagedLedger

  init() throws { whole = try DamagedLedger() }

  /// A copy of the ledger in which some slots of the key file are zeros.
  private func zeroing(_ slots: ClosedRange<UInt32>) throws -> String {
    let path = try whole.copy()
    let file = URL(filePath: path + "/keys")
    var keys = try Data(contentsOf: file)
    let end = PersonalKeys.offset(slots.upperBound) + Secret.byteCount
    keys.resetBytes(in: PersonalKeys.offset(slots.lowerBound)..<end)
    try keys.write(to: file)
    return path
  }

  /// What the saved events no longer say: numbers of accounts, and positions of texts.
  private func unreadable(_ events: [RecordedEvent]) -> (names: Set<Name>, texts: [UInt64]) {
    var names: Set<Name> = []
    var texts: [UInt64] = []
    for event in events {
      if let name = event.event.account, name.text.hasPrefix("sealed:") { names.insert(name) }
      if event.event.data.string("text")?.hasPrefix("sealed:") == true {
        texts.append(event.position)
      }
    }
    return (names, texts)
  }

  @Test(
    "counts them, and says whose texts cannot be read",
    arguments: [1...1, 1...32, 20...51, 1...4_096] as [ClosedRange<UInt32>])
  func zeros(_ slots: ClosedRange<UInt32>) throws {
    let path = try zeroing(slots)
    let (report, events, _) = try whole.salvage(path)
    let (names, texts) = unreadable(events)
    #expect(report.namesWithoutKey == names.count)
    #expect(report.textsWithoutKey == texts)
    #expect(names.count + texts.count > 0)
    #expect(!report.isComplete)
    // They are not lost: a better copy of the key file opens them.
    #expect(report.namesLost == 0 && report.textsLost == [])
    #expect(report.kept == DamagedLedger.count)
    let better = try whole.salvage(
      try zeroing(slots), keys: URL(filePath: whole.path + "/keys").path)
    #expect(better.report.isComplete && better.report.namesWithoutKey == 0)
    #expect(whole.isWhole(better.events))
  }

  @Test("reports nothing missing for what was erased") func erased() throws {
    let (report, events, _) = try whole.salvage(try whole.copy())
    #expect(report.isComplete && report.namesWithoutKey == 0 && report.textsWithoutKey == [])
    #expect(whole.isWhole(events))
  }
}
