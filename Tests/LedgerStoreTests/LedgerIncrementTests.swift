import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Synchronization
import Testing

@testable import LedgerLog
@testable import LedgerStore

@Suite("Incremental backups") struct LedgerIncrementTests {
  private let folder: TemporaryFolder
  private let ledger: Ledger
  private var keys: String { folder.path + "/safe.keys" }

  init() throws {
    folder = try TemporaryFolder()
    ledger = try Ledger.create(
      at: folder.ledger, options: Environment.Options(sync: .onRequest), clock: fixedClock)
  }

  private static func purchase(_ number: Int, account: String) -> EventInput {
    var event = Event(
      id: Name("p-\(number)"), type: EventType(.transactionPurchased),
      occurredAt: Instant(microseconds: 1_600_000_000_000_000 + Int64(number) * Instant.second))
    event.source = EventSource(.app)
    event.account = Name(account)
    event.transaction = Name("t-\(number)")
    event.product = Name("product-\(number % 5)")
    return EventInput(event: event)
  }

  private static func append(_ numbers: Range<Int>, to ledger: Ledger) throws {
    try ledger.appendAndWait(
      numbers.flatMap { number in
        [
          purchase(number, account: "person-\(number / 3)@example.org"),
          note("n-\(number)", "She called about \(number)."),
        ]
      })
  }

  private func full() throws -> LedgerCopy {
    let copy = try ledger.backUp(to: folder.path + "/full")
    try ledger.backUpKeys(to: keys)
    return copy
  }

  private func increment(_ name: String, since position: UInt64) throws -> LedgerCopy {
    let copy = try ledger.backUp(since: position, to: folder.path + "/" + name)
    try ledger.backUpKeys(to: keys)
    return copy
  }

  private func restore(
    _ increments: [String], as name: String = "restored", keys: String? = nil
  ) throws -> LedgerCopy {
    try Ledger.restore(
      folder.path + "/full", increments: increments.map { "\(folder.path)/\($0)" },
      to: "\(folder.path)/\(name)", keys: .file(keys ?? self.keys))
  }

  private func events(at path: String) throws -> [RecordedEvent] {
    let log = try EventLog(open: path, access: .readOnly)
    defer { #expect(throws: Never.self) { try log.close() } }
    return try log.allEvents()
  }

  private func lines(of events: [RecordedEvent]) -> [[UInt8]] {
    events.map { EventEncoder().encode($0.event) }
  }

  @Test("and the full one before them become the same ledger, whole and verified")
  func chain() throws {
    try Self.append(0..<40, to: ledger)
    var position = try full().position
    var names: [String] = []
    // Sizes at which the tree completes nodes on several levels, and one that adds nothing.
    for (round, end) in [47, 120, 120, 128, 400].enumerated() {
      let start = [40, 47, 120, 120, 128][round]
      if end > start { try Self.append(start..<end, to: ledger) }
      let copy = try increment("i\(round)", since: position)
      position = copy.position
      names.append("i\(round)")
    }
    let restored = try restore(names)
    #expect(restored.position == 800)
    #expect(restored.keyFaults.isEmpty)
    try #expect(ledger.log.verify().root == restored.root)
    let expected = lines(of: try ledger.log.allEvents())
    let found = lines(of: try events(at: folder.path + "/restored"))
    #expect(found == expected)
    let again = try Ledger(at: folder.path + "/restored", clock: fixedClock)
    try Self.append(400..<410, to: again)
    #expect(try again.log.verify().faults.isEmpty)
    #expect(try again.checkProjections() == [])
    try again.close()
  }

  @Test("are refused out of order, with one missing, twice, and of another course or ledger")
  func refused() throws {
    try Self.append(0..<10, to: ledger)
    let first = try full().position
    try Self.append(10..<20, to: ledger)
    let second = try increment("i1", since: first).position
    try Self.append(20..<30, to: ledger)
    _ = try increment("i2", since: second)
    _ = try restore(["i1", "i2"], as: "good")
    for order in [["i2"], ["i2", "i1"], ["i1", "i1"], ["i1", "i2", "i1"]] {
      let error = #expect(throws: LedgerError.self) { try restore(order) }
      #expect(error?.code == .corrupt)
      #expect(error?.message.contains("name every backup, in order") == true)
    }
    // The restored ledger goes on otherwise, to the same length.
    try ledger.close()
    _ = try restore(["i1"], as: "other")
    let other = try Ledger(at: folder.path + "/other", clock: fixedClock)
    try Self.append(50..<60, to: other)
    _ = try other.backUp(since: second + 20, to: folder.path + "/i3")
    try other.close()
    let error = #expect(throws: LedgerError.self) { try restore(["i1", "i2", "i3"]) }
    #expect(error?.message.contains("does not continue the backups before it") == true)

    let stranger = try Ledger.create(at: folder.path + "/stranger", clock: fixedClock)
    try Self.append(0..<20, to: stranger)
    _ = try stranger.backUp(since: first, to: folder.path + "/i4")
    try stranger.close()
    let refusal = #expect(throws: LedgerError.self) { try restore(["i4"]) }
    #expect(refusal?.message.contains("of another ledger") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/restored"))
  }

  @Test("are refused when a bit was flipped, or the end was cut off") func damaged() throws {
    try Self.append(0..<10, to: ledger)
    let first = try full().position
    try Self.append(10..<20, to: ledger)
    _ = try increment("i1", since: first)
    let file = URL(filePath: folder.path + "/i1/log/\(LogIncrement.Kind.increment.fileName)")
    let whole = try Data(contentsOf: file)
    var versions: [Data] = [Data(), whole.dropLast(1), whole.prefix(200)]
    for index in stride(from: 0, to: whole.count, by: 97) {
      var flipped = whole
      flipped[index] ^= 4
      versions.append(flipped)
    }
    for version in versions {
      try version.write(to: file)
      #expect(throws: LedgerError(.corrupt, "")) { try restore(["i1"]) }
    }
    try whole.write(to: file)
    _ = try restore(["i1"])
  }

  @Test("carry an erasure to what the older part and an older key file hold")
  func erasure() throws {
    try ledger.appendAndWait([
      Self.purchase(1, account: "ada@example.org"), Self.purchase(2, account: "eve@example.org"),
    ])
    let first = try full().position
    let old = folder.path + "/old.keys"
    try FileManager.default.copyItem(atPath: keys, toPath: old)
    var erasure = Event(
      id: "e1", type: EventType(.accountErased),
      occurredAt: Instant(microseconds: 1_700_000_000_000_000))
    erasure.source = EventSource(.operator)
    erasure.account = "ada@example.org"
    try ledger.erase(erasure)
    _ = try increment("i1", since: first)

    func accounts(_ path: String) throws -> [String] {
      try events(at: path).compactMap(\.event.account?.text)
    }
    // The control: without the increment, nothing is known of the erasure.
    _ = try restore([], as: "before", keys: old)
    #expect(try accounts(folder.path + "/before").contains("ada@example.org"))
    _ = try restore(["i1"], keys: old)
    let after = try accounts(folder.path + "/restored")
    #expect(!after.contains("ada@example.org") && after.contains("eve@example.org"))
    #expect(after.contains { $0.hasPrefix("erased:") })
    let log = try EventLog(open: folder.path + "/restored", access: .readOnly)
    #expect(try log.verify().faults.isEmpty)
    let slots = try log.read { (view) throws(LedgerError) in try view.erasedSlots().map(\.slot) }
    for slot in slots { #expect(try log.tables.texts.keys?.secret(slot) == nil) }
    #expect(!slots.isEmpty)
  }

  @Test("made again and again while somebody appends are each restored and verified")
  func underLoad() throws {
    try Self.append(0..<20, to: ledger)
    let isDone = Atomic(false)
    let written = Atomic(20)
    let writer = Thread { [ledger] in
      while !isDone.load(ordering: .acquiring) {
        let start = written.load(ordering: .relaxed)
        do { try Self.append(start..<start + 7, to: ledger) } catch {
          Issue.record("\(error)")
          return
        }
        written.store(start + 7, ordering: .releasing)
      }
      isDone.store(false, ordering: .releasing)
    }
    var position = try full().position
    writer.start()
    var names: [String] = []
    for round in 0..<6 {
      position = try increment("i\(round)", since: position).position
      names.append("i\(round)")
      let restored = try restore(names, as: "restored-\(round)")
      #expect(restored.position == position)
      #expect(restored.keysMissing == 0)
    }
    isDone.store(true, ordering: .releasing)
    while isDone.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 0.01) }
    #expect(position > 40)
  }
}
