import Foundation
import LMDB
import LedgerEvents
import LedgerQueries
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

@Suite("A log without its key file") struct KeylessLogTests {
  private let folder: TemporaryFolder
  private let ledger: Ledger

  init() throws {
    folder = try TemporaryFolder()
    ledger = try Ledger.create(at: folder.ledger, clock: fixedClock)
    try ledger.appendAndWait([
      Self.purchase("p1", account: "ada@example.org", transaction: "t-1"),
      Self.purchase("p2", account: "eve@example.org", transaction: "t-2"),
    ])
    try ledger.fold()
  }

  private static func purchase(_ id: Name, account: Name, transaction: Name) -> EventInput {
    var event = Event(
      id: id, type: EventType(.transactionPurchased),
      occurredAt: Instant(microseconds: 1_600_000_000_000_000))
    event.source = EventSource(.app)
    event.account = account
    event.transaction = transaction
    event.product = "atlas"
    return EventInput(event: event)
  }

  /// Whether a name can be found by guessing it: with any two keys that are anywhere in the rows
  /// that say what the ledger is.
  private func isFound(_ name: String, inLogAt path: String) throws -> Bool {
    let log = try EventLog(open: path, access: .readOnly)
    defer { #expect(throws: Never.self) { try log.close() } }
    return try log.read { (view) throws(LedgerError) in
      var keys: [UInt8] = []
      for row in LogIdentity.Row.allCases {
        keys += try LogIdentity.row(row, view.view, view.tables) ?? []
      }
      var hashes: [(UInt64, UInt64)] = []
      for number in 1...(try view.lastNameNumber()) {
        guard let row = try view.nameRow(number, in: view.tables.people),
          let sealed = SealedName(row)
        else { continue }
        hashes.append(sealed.hash)
      }
      guard keys.count >= 32 else { return false }
      for start in 0...keys.count - 32 {
        func key(_ at: Int) -> HashKey {
          HashKey(
            low: keys.span.bigEndianWord(at: start + at),
            high: keys.span.bigEndianWord(at: start + at + 8))
        }
        let guess = NameSeal(low: key(0), high: key(16))
          .hash(Array(name.utf8).span, .account)
        if hashes.contains(where: { $0 == guess }) { return true }
      }
      return false
    }
  }

  @Test("is noticed by a program that had it open, as is one that was put in its place")
  func removedMeanwhile() throws {
    let copy = folder.path + "/keys"
    try FileManager.default.moveItem(atPath: ledger.keyFile, toPath: copy)
    let new = Self.purchase("p3", account: "new@example.org", transaction: "t-3")
    let error = #expect(throws: LedgerError.self) { try ledger.appendAndWait([new]) }
    #expect(error?.code == .keysMissing)
    try FileManager.default.copyItem(atPath: copy, toPath: ledger.keyFile)
    try ledger.appendAndWait([new])
    // What was appended since is sealed under keys of the file that is there, not of the other.
    try ledger.close()
    let again = try Ledger(at: folder.ledger)
    #expect(try again.log.verify().faults == [])
    #expect(try again.log.allEvents().last?.event.account == "new@example.org")
    try again.close()
  }

  @Test("does not show to whoever guesses a name that it is there, erased or not")
  func guessing() throws {
    var erasure = Event(
      id: "e1", type: EventType(.accountErased),
      occurredAt: Instant(microseconds: 1_700_000_000_000_000))
    erasure.source = EventSource(.operator)
    erasure.account = "ada@example.org"
    try ledger.erase(erasure)
    let copy = folder.path + "/backup"
    _ = try ledger.backUp(to: copy)
    try #expect(!isFound("ada@example.org", inLogAt: copy))
    try #expect(!isFound("eve@example.org", inLogAt: copy))
  }

  @Test("answers what names nobody, and says what it cannot answer")
  func answers() throws {
    try ledger.close()
    try FileManager.default.removeItem(atPath: ledger.keyFile)
    let opened = try Ledger(at: folder.ledger, clock: fixedClock)
    try opened.read { (view) throws(LedgerError) in
      #expect(try view.number(of: .transaction, "t-1") != nil)
      #expect(try view.event(at: 1).event.account?.text.hasPrefix("sealed:") == true)
    }
    let error = #expect(throws: LedgerError.self) {
      try opened.read { (view) throws(LedgerError) in
        _ = try view.number(of: .account, "ada@example.org")
      }
    }
    #expect(error?.code == .keysMissing)
    #expect(error?.message.contains("no account, device or session can be looked up") == true)
  }

  @Test("takes no other key file than its own")
  func ownKeys() throws {
    let other = try Ledger.create(at: folder.path + "/other", clock: fixedClock)
    let own = try Data(contentsOf: URL(fileURLWithPath: ledger.keyFile))
    try ledger.close()
    func lookUp() throws {
      let opened = try Ledger(at: folder.ledger, clock: fixedClock)
      defer { #expect(throws: Never.self) { try opened.close() } }
      try opened.read { (view) throws(LedgerError) in
        #expect(try view.number(of: .account, "ada@example.org") != nil)
      }
    }
    try lookUp()
    try Data(contentsOf: URL(fileURLWithPath: other.keyFile))
      .write(to: URL(fileURLWithPath: ledger.keyFile))
    #expect(throws: LedgerError(.corrupt, "")) { try lookUp() }
    // One bit of the secrets: a name would get a second number.
    for index in [40, 70, 90] {
      var damaged = own
      damaged[index] ^= 1
      try damaged.write(to: URL(fileURLWithPath: ledger.keyFile))
      #expect(throws: LedgerError(.corrupt, "")) { try lookUp() }
    }
    try own.write(to: URL(fileURLWithPath: ledger.keyFile))
    try lookUp()
  }

  @Test("whose key file is damaged is verified all the same, and the file is reported apart")
  func damagedKeyFile() throws {
    try ledger.close()
    var keys = try Data(contentsOf: URL(fileURLWithPath: ledger.keyFile))
    keys[40] ^= 1
    try keys.write(to: URL(fileURLWithPath: ledger.keyFile))
    let log = try EventLog.toVerify(folder.ledger)
    let found = try log.verify()
    #expect(found.events == 2)
    #expect(found.damage == [])
    #expect(found.keyFaults.map(\.part) == [.keyFile])
    #expect(found.keyFaults.first?.message.contains("head of the key file") == true)
  }

  @Test("restored without keys gets new ones, and refuses the old file that is put back")
  func restoredWithoutKeys() throws {
    let (copy, restored) = (folder.path + "/backup", folder.path + "/restored")
    _ = try ledger.backUp(to: copy)
    _ = try Ledger.restore(copy, to: restored, keys: .none)
    var opened = try Ledger(at: restored, clock: fixedClock)
    // The name is a new one: nothing connects it with what is sealed for good.
    try opened.appendAndWait([
      Self.purchase("p3", account: "ada@example.org", transaction: "t-3")
    ])
    try opened.read { (view) throws(LedgerError) in
      #expect(try view.event(at: 1).event.account?.text.hasPrefix("sealed:") == true)
      #expect(try view.event(at: 3).event.account == "ada@example.org")
    }
    #expect(try opened.log.verify().damage.isEmpty)
    try opened.close()
    try Data(contentsOf: URL(fileURLWithPath: ledger.keyFile))
      .write(to: URL(fileURLWithPath: opened.keyFile))
    opened = try Ledger(at: restored, clock: fixedClock)
    #expect(throws: LedgerError(.corrupt, "")) {
      try opened.read { (view) throws(LedgerError) in
        _ = try view.number(of: .account, "ada@example.org")
      }
    }
  }
}
