import LedgerEvents
import LedgerModel
import LedgerQueries
import Testing

@testable import LedgerStore

/// Events without a device are events of one device, the absent one. What its state says about a
/// unit can change with an event of another unit, and each test here shows one way.
@Suite("A fold that events of the absent device change")
struct AbsentDeviceFoldTests {
  private let walk: LedgerWalk

  init() throws { walk = try LedgerWalk() }

  /// Reads events, one JSON object per line.
  private func batch(_ lines: String) throws -> [EventInput] {
    try lines.split(separator: "\n").enumerated().map { offset, line in
      try EventDecoder().decode(line: Array(line.utf8), number: offset + 1)
    }
  }

  /// Appends events as one batch and folds them.
  private func fold(_ lines: String) throws {
    let ledger = try walk.ledger()
    try ledger.appendAndWait(batch(lines))
    try ledger.fold()
  }

  private func number(of transaction: Name) throws -> NameNumber? {
    try walk.ledger().read { (view) throws(LedgerError) in
      try view.number(of: .transaction, transaction)
    }
  }

  /// Returns the state that a reader sees if it asks about nothing else.
  private func state(
    ofUnitOf name: NameNumber, in ledger: Ledger
  ) throws(LedgerError) -> [UInt8]? {
    try LedgerReader(ledger.log, ledger.source).read { (view) throws(LedgerError) in
      try view.unit(of: name)?.encoded()
    }
  }

  private func coins(of account: Name) throws -> Int64 {
    try walk.ledger().read { (view) throws(LedgerError) in
      try view.entitlements(
        of: .account(account), environments: [.production],
        now: Instant(microseconds: 1_800_000_000 * Instant.second)
      ).balances.first { $0.unit == "coins" }?.amount ?? 0
    }
  }

  @Test("counts each event once when a parted unit keeps what it absorbed in the same batch")
  func partedAndJoined() throws {
    // Both installs are of content that nobody holds on the absent device, so they share a unit.
    try fold(
      """
      {"id":"1","type":"content.installed","occurredAt":"2024-01-01T01:00:00Z",\
      "product":"book","transaction":"t1","data":{"contentVersion":"1"}}
      {"id":"2","type":"content.installed","occurredAt":"2024-01-01T02:00:00Z",\
      "product":"book","transaction":"t2","data":{"contentVersion":"1"}}
      {"id":"3","type":"consumable.consumed","occurredAt":"2024-01-01T03:00:00Z",\
      "account":"anna","device":"d1","data":{"unit":"coins","amount":5}}
      """)
    // The unit absorbs Anna's and is parted again: the second install is hers.
    try fold(
      """
      {"id":"4","type":"purchase.fulfilled","occurredAt":"2024-01-01T04:00:00Z",\
      "account":"anna","transaction":"t2"}
      """)
    #expect(try coins(of: "anna") == -5)
    #expect(try walk.ledger().checkProjections() == [])
  }

  @Test("parts a unit that nobody joins in a batch that changes others, too")
  func partedBesideOthers() throws {
    // The downloads are two, but nobody holds their content on the absent device.
    try fold(
      """
      {"id":"1","type":"content.installed","occurredAt":"2024-01-01T01:00:00Z",\
      "product":"book","transaction":"t1","download":"c1","data":{"contentVersion":"1"}}
      {"id":"2","type":"content.installed","occurredAt":"2024-01-01T02:00:00Z",\
      "product":"book","transaction":"t2","download":"c2","data":{"contentVersion":"1"}}
      """)
    let (first, second) = (try #require(try number(of: "t1")), try #require(try number(of: "t2")))
    let ledger = try walk.ledger()
    #expect(try state(ofUnitOf: first, in: ledger) == state(ofUnitOf: second, in: ledger))
    // The second install was Bea's all along.
    try fold(
      """
      {"id":"3","type":"purchase.fulfilled","occurredAt":"2024-01-01T00:00:00Z",\
      "account":"bea","transaction":"t2"}
      {"id":"4","type":"transaction.purchased","occurredAt":"2024-01-01T03:00:00Z",\
      "account":"carl","product":"book","transaction":"t3"}
      """)
    #expect(try state(ofUnitOf: first, in: ledger) != state(ofUnitOf: second, in: ledger))
    #expect(try ledger.checkProjections() == [])
  }

  @Test("finds what a purge makes of a finish that was the last event of its unit")
  func purgedAfterwards() throws {
    try fold(
      """
      {"id":"1","type":"transaction.purchased","source":"storekit1",\
      "occurredAt":"2024-01-01T01:00:00Z","product":"book","transaction":"t1",\
      "data":{"downloads":[{"download":"c1"}]}}
      {"id":"2","type":"download.finished","source":"storekit1",\
      "occurredAt":"2024-01-01T02:00:00Z","product":"book","transaction":"t1","download":"c1"}
      {"id":"3","type":"transaction.finished","source":"storekit1",\
      "occurredAt":"2024-01-01T03:00:00Z","product":"book","transaction":"t1"}
      """)
    try fold(
      """
      {"id":"4","type":"content.purged","occurredAt":"2024-01-01T04:00:00Z"}
      """)
    #expect(try walk.ledger().checkProjections() == [])
  }

  @Test("finds it at the first purge, even if that arrives after a later one")
  func purgedBefore() throws {
    // The queue delivers on a stated device, so nothing but the finish looks at the absent one.
    try fold(
      """
      {"id":"1","type":"transaction.purchased","source":"storekit1","device":"d1",\
      "occurredAt":"2024-01-01T01:00:00Z","product":"book","transaction":"t1",\
      "data":{"downloads":[{"download":"c1"}]}}
      {"id":"2","type":"download.finished","source":"storekit1",\
      "occurredAt":"2024-01-01T02:00:00Z","product":"book","transaction":"t1","download":"c1"}
      {"id":"3","type":"transaction.finished","source":"storekit1",\
      "occurredAt":"2024-01-01T03:00:00Z","product":"book","transaction":"t1"}
      {"id":"4","type":"content.purged","occurredAt":"2024-01-01T05:00:00Z"}
      """)
    try fold(
      """
      {"id":"5","type":"content.purged","occurredAt":"2024-01-01T04:00:00Z"}
      """)
    #expect(try walk.ledger().checkProjections() == [])
  }

  @Test("shows in an answer before it is stored, even if the event itself states a device")
  func erasedOnADevice() throws {
    try fold(
      """
      {"id":"1","type":"content.installed","occurredAt":"2024-01-01T01:00:00Z",\
      "account":"anna","product":"book","transaction":"t1","download":"c1",\
      "data":{"contentVersion":"2"}}
      {"id":"2","type":"transaction.purchased","source":"storekit1",\
      "occurredAt":"2024-01-01T02:00:00Z","product":"book","transaction":"t2",\
      "data":{"downloads":[{"download":"c2","contentVersion":"1"}]}}
      {"id":"3","type":"download.requested","source":"storekit1",\
      "occurredAt":"2024-01-01T05:00:00Z","product":"book","transaction":"t2","download":"c2"}
      """)
    // Anna's content becomes nobody's, as the purchase is. So the download was not needed.
    let erasure = try batch(
      """
      {"id":"4","type":"account.erased","occurredAt":"2024-01-01T04:00:00Z",\
      "account":"anna","device":"d1"}
      """)
    let ledger = try walk.ledger()
    let transaction = try #require(try number(of: "t2"))
    let answered = try ledger.schedule.whileNobodyFolds { () throws(LedgerError) in
      try ledger.appendAndWait(erasure)
      return try state(ofUnitOf: transaction, in: ledger)
    }
    try ledger.fold()
    #expect(try answered == state(ofUnitOf: transaction, in: ledger))
    #expect(try ledger.checkProjections() == [])
  }
}
