import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog

@Suite("Names that are encrypted before they are written")
struct LogSealingTests {
  private let folder: TemporaryFolder
  private let log: EventLog

  init() throws {
    folder = try TemporaryFolder()
    log = try EventLog.makeNew(folder)
  }

  /// Events of people of their own, some of whom come again, with personal texts among them.
  private static func crowd(_ name: String, _ count: Int) -> [EventInput] {
    (0..<count).map { number in
      var input =
        number % 3 == 1
        ? note("\(name)-\(number)", "text \(number) of \(name)") : progress("\(name)-\(number)")
      input.event.account = Name("account \(number % 7 == 0 ? 0 : number) of \(name)")
      if number % 3 != 1 { input.event.device = Name("device \(number) of \(name)") }
      return input
    }
  }

  /// Returns the slots of the rows in two tables, in the order of their keys.
  private func slots() throws -> (people: [UInt32], personal: [UInt32]) {
    let snapshot = try log.snapshot()
    let view = try snapshot.view
    let events = view.lastPosition
    let names = try view.lastNameNumber()
    var people: [UInt32] = []
    for number in 1...names where try view.isPerson(number) {
      people.append(try view.sealedName(number).slot.taken)
    }
    var personal: [UInt32] = []
    for position in 1...events {
      if let slot = try view.dataSlot(position) { personal.append(slot) }
    }
    return (people, personal)
  }

  @Test("are the names that events have, each under a slot of its own", arguments: [1, 200])
  func same(batch: Int) throws {
    let events = Self.crowd("first", 200) + Self.crowd("second", 100)
    for start in stride(from: 0, to: events.count, by: batch) {
      try log.appendAndWait(Array(events[start..<min(start + batch, events.count)]))
    }
    let stored = try log.allEvents().map(\.event)
    #expect(stored.map(\.account) == events.map(\.event.account))
    #expect(stored.map(\.device) == events.map(\.event.device))
    for (stored, given) in zip(stored, events) { #expect(stored.sameContent(as: given.event)) }
    #expect(try log.verify().faults.isEmpty)
    let (people, personal) = try slots()
    #expect(Set(people + personal).count == people.count + personal.count)
    #expect(people == people.sorted() && personal == personal.sorted())
    #expect((people + personal).max() == UInt32(people.count + personal.count))
  }

  @Test("are encrypted under the slot that is asked for, and only for that name")
  func ahead() throws {
    var names = NameRows()
    for number in 0..<40 { names.append(.account, Array("account \(number)".utf8).span) }
    let keys = try #require(log.tables.texts.keys)
    let seal = try log.tables.texts.seal()
    try keys.reserve(1...100)
    let new = (0..<40).map { PersonalSealer.NewName(name: $0, slot: UInt32(2 * $0 + 1)) }
    let secrets = try keys.newSecrets(1...100)
    func row(_ name: Int, _ slot: UInt32, _ secret: Secret?) throws -> [UInt8] {
      try seal.seal(names.row(name), .account, Slot(slot), try #require(secret))
    }
    var sealer = PersonalSealer(log.tables.texts)
    try sealer.sealAhead(new, of: names)
    // What is in the rows was encrypted before the keys changed.
    #expect(try keys.destroy(1...100))
    let file = try #require(try FlatFile.open(keys.path, isWritable: true))
    try file.write([UInt8](repeating: 9, count: 100 * Secret.byteCount), at: PersonalKeys.offset(1))
    let changed = try keys.newSecret(1)
    for slot in UInt32(1)...60 {
      let name = slot % 2 == 1 && slot != 31 ? Int(slot / 2) : 39
      let found = try sealer.row(ofName: names.row(name), name, .account, isForgotten: false)
      let isAhead = slot % 2 == 1 && slot != 31
      let expected = try row(name, slot, isAhead ? secrets[Int(slot) - 1] : changed)
      #expect(found == expected, "slot \(slot)")
    }
  }
}

extension LogView {
  fileprivate func isPerson(_ number: NameNumber) throws(LedgerError) -> Bool {
    let key = bigEndianKey(number)
    do throws(LMDBError) { return try view.contains(tables.people, key.span) } catch {
      throw LedgerError(error)
    }
  }

  /// The slot of an event's personal data; `nil` if it has none.
  fileprivate func dataSlot(_ position: UInt64) throws(LedgerError) -> UInt32? {
    do throws(LMDBError) {
      guard let row = try view.get(tables.personal, position) else { return nil }
      return SealedData(row)?.slot.taken
    } catch { throw LedgerError(error) }
  }
}
