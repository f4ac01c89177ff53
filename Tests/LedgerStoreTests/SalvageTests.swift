import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

@Suite("Salvage") struct SalvageTests {
  private let whole: DamagedLedger

  init() throws { whole = try DamagedLedger() }

  @Test("saves all of an undamaged ledger, byte for byte in its tree") func undamaged() throws {
    let before = try FileManager.default.subpathsOfDirectory(atPath: whole.path).sorted()
    let (report, events, _) = try whole.salvage(whole.path)
    #expect(report.isComplete)
    #expect(report.pages == [])
    #expect(report.notes == [])
    #expect((report.unproven, report.contradicted) == (0, 0))
    #expect(whole.isWhole(events))
    // Nothing is written into the source, not even a lock.
    #expect(try FileManager.default.subpathsOfDirectory(atPath: whole.path).sorted() == before)
    #expect(try Data(contentsOf: URL(filePath: DamagedLedger.dataFile(whole.path))) == whole.data)
  }

  @Test("reads nothing for the roots of no checkpoints") func noRoots() throws {
    #expect(try EventLog.readableRoots(of: "/nowhere/at/all", at: []) == [:])
    #expect(throws: LedgerError(.noLedger, "")) {
      try EventLog.readableRoots(of: "/nowhere/at/all", at: [1])
    }
  }

  @Test("saves the rest, whichever page is overwritten with zeros or noise", arguments: [0, 1])
  func pages(_ isNoise: Int) throws {
    var numbers = SeededNumbers(7)
    var (complete, partly, damaged, lost) = (0, 0, 0, 0)
    for page in 2..<whole.pageCount {
      let noise = (0..<DamagedLedger.pageBytes).map { _ in
        isNoise == 1 ? UInt8.random(in: 0...255, using: &numbers) : 0
      }
      let copy = try whole.copy(whole.overwritten(page, noise))
      let isSound = try EventLog.damagedPages(copy).isEmpty
      damaged += isSound ? 0 : 1
      do {
        let report = try whole.salvage(copy).report
        if isSound { #expect(report.isComplete, "page \(page)") }
        if report.isComplete { complete += 1 } else { partly += 1 }
      } catch let error as LedgerError {
        // Every purchase needs a product, and all seven are on one page.
        #expect(error.code == .corrupt)
        lost += 1
      }
    }
    #expect(lost <= 1)
    // Branches and free pages cost nothing, leaves what was on them.
    #expect(complete > 2)
    #expect(partly > 2)
    #expect(damaged > partly)
  }

  @Test("saves nearly all after a flipped bit or byte anywhere", arguments: 0..<6)
  func bits(_ seed: UInt64) throws {
    var numbers = SeededNumbers(seed)
    for _ in 0..<12 {
      let page = Int.random(in: 0..<whole.pageCount, using: &numbers)
      let reach = Bool.random(using: &numbers) ? 64 : DamagedLedger.pageBytes
      let at = Int.random(in: 0..<reach, using: &numbers)
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &numbers)
      let byte = whole.data[page * DamagedLedger.pageBytes + at] ^ bit
      let report = try whole.salvage(
        try whole.copy(whole.overwritten(page, at: at, [byte]))
      ).report
      // A name that is lost takes the events with it that need it.
      #expect(report.kept > 200, "page \(page), byte \(at)")
    }
  }

  @Test("leaves out one damaged record, and says where the others are now") func record() throws {
    let log = try whole.replaced(whole.records[100]) { $0[$0.count - 12] ^= 1 }
    let copy = try whole.copy(log)
    let (report, events, _) = try whole.salvage(copy)
    #expect(report.gaps.map(\.positions) == [100...100])
    #expect(report.gaps.first?.reason.contains("checksum") == true)
    // The block of 16 begins at 97, and with it the transactions that the tree no longer proves.
    #expect(report.unbrokenThrough == 96)
    #expect(report.moves == [.init(old: 101...DamagedLedger.count, new: 100)])
    #expect(events.count == Int(DamagedLedger.count) - 1)
    #expect(report.unproven == 15)
    #expect(report.unprovenPositions == [97...99, 101...112])
  }

  @Test("saves everything by the older meta page, and without both") func metas() throws {
    for pages in [[0], [1], [0, 1]] {
      var log = whole.data
      for page in pages {
        let start = page * DamagedLedger.pageBytes
        log.resetBytes(in: start..<start + 200)
      }
      let copy = try whole.copy(log)
      #expect(throws: LedgerError(.corrupt, "")) { try EventLog.damagedPages(copy) }
      let report = try whole.salvage(copy).report
      // The list of erasures cannot be read without the trees; nothing else is lost.
      #expect(report.kept == DamagedLedger.count, "\(pages): \(report.gaps)")
      #expect(report.pages.map(\.number).prefix(pages.count) == ArraySlice(pages.map(UInt64.init)))
    }
  }

  @Test("never gives an event another product: a damaged name takes its events with it")
  func names() throws {
    var kept: [UInt64] = []
    for name in ["product-3", "transaction-200", "transaction-329"] {
      // The row: a byte for its kind, then its text.
      let kind = name.hasPrefix("product") ? NameKind.product : .transaction
      // Two bits, which no search finds.
      let log = try whole.replaced([kind.rawValue] + Array(name.utf8)) { $0[$0.count - 1] ^= 3 }
      let (report, events, _) = try whole.salvage(try whole.copy(log))
      #expect(!events.contains { $0.event.product?.text == name })
      #expect(report.gaps.allSatisfy { $0.reason.contains("name") })
      kept.append(report.kept)
    }
    #expect(kept.allSatisfy { $0 < DamagedLedger.count })
    #expect(kept[1] > 300)
  }

  @Test("turns a flipped bit of a name back, because the tree proves it", arguments: 0..<8)
  func repaired(_ bit: UInt8) throws {
    for name in ["product-3", "transaction-200", "transaction-329"] {
      let kind = name.hasPrefix("product") ? NameKind.product : .transaction
      // Its kind and its text.
      for byte in [0, 4] {
        let log = try whole.replaced([kind.rawValue] + Array(name.utf8)) { $0[byte] ^= 1 << bit }
        let (report, events, _) = try whole.salvage(try whole.copy(log))
        #expect(report.namesRepaired == 1, "\(name), byte \(byte)")
        #expect(report.isComplete)
        #expect(whole.isWhole(events))
      }
    }
  }

  @Test("keeps an event whose personal data is lost, and says so") func personal() throws {
    let position = try whole.lastNote()
    let row = try whole.personalRow(position)
    let copy = try whole.copy(try whole.replaced(row) { $0[$0.count - 2] ^= 1 })
    let (report, events, new) = try whole.salvage(copy)
    #expect(report.textsLost == [position])
    #expect(report.kept == DamagedLedger.count)
    #expect(report.unbrokenThrough == DamagedLedger.count)
    let saved = try #require(events.first { $0.position == position })
    #expect(saved.event.data.string("text") == "sealed:\(position)")
    let verified = try EventLog.toVerify(new)
    #expect(try verified.verify().keysMissing == 1)
    try verified.close()
  }

  @Test("turns a flipped bit of a person's name back, and destroys nobody else's key")
  func people() throws {
    let row = try whole.personRow(1)
    try #require(row.count > SealedName.headByteCount)
    // The hash and the commitment, which the tree holds, the kind, and that it has a key.
    for (offset, bit) in [(5, 8), (20, 8), (21, 8), (52, 8), (0, 1), (0, 128), (1, 128)]
      as [(Int, UInt8)]
    {
      let log = try whole.replaced(row) { $0[offset] ^= bit }
      let (report, events, _) = try whole.salvage(try whole.copy(log))
      #expect(report.namesRepaired == 1 && report.isComplete, "byte \(offset), bit \(bit)")
      #expect(whole.isWhole(events))
    }
    // The slot, which becomes another one's or one that the key file does not have, and the text,
    // which nothing but the key proves.
    for (offset, bit) in [(4, 2), (1, 64), (row.count - 3, 2)] as [(Int, UInt8)] {
      let log = try whole.replaced(row) { $0[offset] ^= bit }
      let (report, events, _) = try whole.salvage(try whole.copy(log))
      #expect(report.namesLost == 1 && report.textsLost == [])
      #expect(report.unbrokenThrough == DamagedLedger.count)
      let sealed = Set(
        events.compactMap { $0.event.account?.text }.filter { $0.hasPrefix("sealed") })
      #expect(sealed == ["sealed:1"])
    }
  }

  @Test("takes no slot from a damaged row that the key file does not have") func farSlots() throws {
    let position = try whole.lastNote()
    let (name, text) = (try whole.personRow(1), try whole.personalRow(position))
    for (row, byte) in [(name, 1), (text, 0)] {
      let damaged = try whole.copy(try whole.replaced(row) { $0[byte] ^= 0x40 })
      let (report, _, new) = try whole.salvage(damaged)
      #expect(report.namesLost + report.textsLost.count == 1)
      let saved = try EventLog(open: new, access: .readOnly)
      let slots = try saved.read { (view) throws(LedgerError) in try view.lastSlot() }
      #expect(slots < 10_000)
      try saved.close()
    }
  }

  @Test("gives up what names people without a whole key file, and not with a copy of it")
  func keys() throws {
    let own = "\(whole.path)/keys"
    for damage in ["head", "missing"] {
      let copy = try whole.copy()
      if damage == "missing" {
        try FileManager.default.removeItem(atPath: "\(copy)/keys")
      } else {
        var bytes = try Data(contentsOf: URL(filePath: own))
        bytes[40] ^= 1
        try bytes.write(to: URL(filePath: "\(copy)/keys"))
      }
      let (report, events, _) = try whole.salvage(copy)
      #expect(report.kept == DamagedLedger.count)
      #expect(report.keysGivenUp != nil)
      #expect(!events.contains { $0.event.account == "account-4" })
      let again = try whole.copy()
      try FileManager.default.removeItem(atPath: "\(again)/keys")
      let (withCopy, named, _) = try whole.salvage(again, keys: own)
      #expect(withCopy.isComplete)
      #expect(whole.isWhole(named))
    }
  }

  @Test("brings nothing back that was erased, not even with a key file from before")
  func erased() throws {
    let folder = try TemporaryFolder()
    let path = folder.ledger
    let ledger = try Ledger.create(at: path, clock: fixedClock)
    try ledger.appendAndWait((0..<40).map { note("note-\($0)", "said \($0)") })
    let old = folder.path + "/old-keys"
    try FileManager.default.copyItem(atPath: ledger.keyFile, toPath: old)
    var erasure = Event(
      id: "erasure", type: EventType(.accountErased),
      occurredAt: Instant(microseconds: 1_700_000_000_000_000))
    erasure.source = EventSource(.operator)
    erasure.account = "account-1"
    try ledger.erase(erasure)
    try ledger.close()
    let new = folder.path + "/new"
    let report = try Ledger.salvage(path, into: new, keys: old).report
    #expect(report.kept == 41)
    let saved = try EventLog.toVerify(new)
    #expect(try saved.verify().faults == [])
    for event in try saved.allEvents().dropLast() {
      #expect(event.event.account?.text.hasPrefix("erased:") == true)
      #expect(event.event.data.string("text")?.hasPrefix("erased:") == true)
    }
    try saved.close()
    // Where the list of erasures is damaged, nobody can tell what a copy may bring back.
    var log = try Data(contentsOf: URL(filePath: DamagedLedger.dataFile(path)))
    let pages = log.count / DamagedLedger.pageBytes
    var refused = 0
    for page in 2..<pages {
      let start = page * DamagedLedger.pageBytes
      let saved = log[start..<start + DamagedLedger.pageBytes]
      log.resetBytes(in: start..<start + DamagedLedger.pageBytes)
      try log.write(to: URL(filePath: DamagedLedger.dataFile(path)))
      let destination = "\(folder.path)/new-\(page)"
      do throws(LedgerError) {
        _ = try Ledger.salvage(path, into: destination, keys: old)
        let log = try EventLog.toVerify(destination)
        let texts = try log.read { (view) throws(LedgerError) in
          var texts: [String] = []
          for position in 1..<view.lastPosition {
            texts.append(try view.event(at: position).event.account?.text ?? "")
          }
          return texts
        }
        #expect(!texts.contains("account-1"), "page \(page)")
        try log.close()
      } catch {
        #expect(error.code == .keysMissing || error.code == .corrupt, "page \(page): \(error)")
        refused += 1
      }
      log.replaceSubrange(start..<start + DamagedLedger.pageBytes, with: saved)
    }
    #expect(refused > 0)
  }

  @Test("makes a ledger that goes on: appends, erases, and gives out no key twice")
  func goesOn() throws {
    let log = try whole.replaced(whole.records[1]) { $0[$0.count - 12] ^= 1 }
    let new = try whole.salvage(try whole.copy(log)).path
    let ledger = try Ledger(at: new, clock: fixedClock)
    try ledger.appendAndWait([note("later", "said later")])
    var other = note("other", "said other").event
    other.account = "somebody new"
    try ledger.appendAndWait([EventInput(event: other)])
    let (slots, events) = try ledger.log.read { (view) throws(LedgerError) in
      var slots: [UInt32] = []
      var texts: [String] = []
      for number in 1...(try view.lastNameNumber()) {
        guard let row = try view.nameRow(number, in: view.tables.people) else { continue }
        if let slot = SealedName(row)?.slot.taken { slots.append(slot) }
      }
      for position in 1...view.lastPosition {
        if let row = try view.personalBytes(at: position), let data = SealedData(row),
          !data.slot.isForgotten
        {
          slots.append(data.slot.taken)
        }
      }
      for position in view.lastPosition - 1...view.lastPosition {
        texts.append(try view.event(at: position).event.account?.text ?? "")
      }
      return (slots, texts)
    }
    #expect(Set(slots).count == slots.count)
    #expect(events == ["account-1", "somebody new"])
    #expect(try ledger.log.verify().faults == [])
    try ledger.close()
  }

  @Test("refuses a target that exists, and a source that is none") func refusals() throws {
    let copy = try whole.copy()
    #expect(throws: LedgerError(.exists, "")) { try Ledger.salvage(copy, into: whole.path) }
    #expect(throws: LedgerError(.noLedger, "")) {
      try Ledger.salvage(whole.folder.path + "/nothing", into: copy + "-new")
    }
    try Data(repeating: 0, count: 40_960).write(to: URL(filePath: DamagedLedger.dataFile(copy)))
    #expect(throws: LedgerError(.corrupt, "")) { try Ledger.salvage(copy, into: copy + "-new") }
    #expect(!FileManager.default.fileExists(atPath: copy + "-new"))
  }

  @Test("needs no projections, and no root beside the log") func onlyTheLog() throws {
    let copy = try whole.copy()
    try FileManager.default.removeItem(atPath: "\(copy)/projections")
    #expect(try whole.salvage(copy).report.isComplete)
    try FileManager.default.removeItem(atPath: "\(copy)/root")
    try FileManager.default.removeItem(atPath: "\(copy)-new")
    let (report, events, _) = try whole.salvage(copy)
    #expect(whole.isWhole(events))
    // Nothing proves the names of the last transactions, so nobody can say that all is as it was.
    #expect(report.gaps == [] && !report.isComplete)
    #expect(report.unbrokenThrough == 320 && report.unprovenPositions == [321...331])
  }
}

/// Random numbers that are the same in each run.
private struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
