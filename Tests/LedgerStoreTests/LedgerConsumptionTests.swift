import Foundation
import LedgerEvents
import LedgerModel
import LedgerQueries
import LogTesting
import Testing

@testable import LedgerStore

/// The events of a shop that sells coins.
private enum Shop {
  private static func members(_ fields: [(String, String)]) -> EventData {
    EventData(
      members: fields.map { EventData.Member(name: $0.0, json: Array($0.1.utf8)) })
  }

  private static func event(
    _ id: String, _ kind: EventKind, at second: Int64, account: String?,
    _ fields: [(String, String)] = []
  ) -> Event {
    Event(
      id: Name(id), type: EventType(kind),
      occurredAt: Instant(microseconds: (1_700_000_000 + second) * Instant.second),
      account: account.map { Name($0) }, data: members(fields))
  }

  /// Each purchase of `pack` gives ten coins.
  static let catalogue = EventInput(
    event: event(
      "catalogue", .catalogSet, at: 0, account: nil,
      [("products", #"[{"product":"pack","kind":"consumable","grants":{"coins":10}}]"#)]))

  static func purchase(
    _ transaction: String, by account: String?, at second: Int64 = 10,
    in environment: StoreEnvironment? = nil
  ) -> EventInput {
    var event = event(
      "purchase-\(transaction)", .transactionPurchased, at: second, account: account)
    event.transaction = Name(transaction)
    event.product = "pack"
    event.source = EventSource(.storekit1)
    event.environment = environment
    return EventInput(event: event)
  }

  static func consumption(
    _ id: String, of amount: Int, by account: String, at second: Int64 = 10,
    required: Bool = true, _ change: (inout Event) -> Void = { _ in }
  ) -> EventInput {
    var event = event(
      "consumption-\(id)", .consumableConsumed, at: second, account: account,
      [("unit", #""coins""#), ("amount", "\(amount)"), ("required", "\(required)")])
    change(&event)
    return EventInput(event: event)
  }

  static func refund(_ transaction: String, at second: Int64) -> EventInput {
    var event = event("refund-\(transaction)", .transactionRefunded, at: second, account: nil)
    event.transaction = Name(transaction)
    event.source = EventSource(.server)
    return EventInput(event: event)
  }

  static func erasure(of account: String, at second: Int64) -> Event {
    event("erasure", .accountErased, at: second, account: account, [("reason", #""asked""#)])
  }

  static func link(_ account: String, to other: String, at second: Int64) -> EventInput {
    EventInput(
      event: event(
        "link-\(account)-\(other)", .accountLinked, at: second, account: account,
        [("to", "\"\(other)\"")]))
  }
}

@Suite("Required consumptions of a ledger")
struct LedgerConsumptionTests {
  private let walk: LedgerWalk

  init() throws { walk = try LedgerWalk() }

  private func append(_ batch: EventInput...) throws { try walk.ledger().appendAndWait(batch) }

  private func balance(
    of account: Name, _ environment: StoreEnvironment = .production
  ) throws -> Int64 {
    try walk.ledger().read { (view) throws(LedgerError) in
      try view.entitlements(
        of: .account(account), environments: [environment],
        now: Instant(microseconds: 1_800_000_000 * Instant.second)
      ).balances.first { $0.unit == "coins" }?.amount ?? 0
    }
  }

  private func expectNotCovered(_ batch: EventInput...) throws {
    let before = try walk.ledger().log.lastPosition()
    let error = #expect(throws: LedgerError.self) { try walk.ledger().appendAndWait(batch) }
    #expect(error?.code == .notCovered, "\(error?.message ?? "")")
    #expect(try walk.ledger().log.lastPosition() == before)
  }

  @Test("are accepted up to the balance, and refused beyond it")
  func covered() throws {
    try append(Shop.catalogue, Shop.purchase("1", by: "anna"))
    try append(Shop.consumption("a", of: 4, by: "anna"))
    try walk.ledger().fold()
    try append(Shop.consumption("b", of: 5, by: "anna"))
    try expectNotCovered(Shop.consumption("c", of: 2, by: "anna"))
    try append(Shop.consumption("d", of: 1, by: "anna"))
    try expectNotCovered(Shop.consumption("e", of: 1, by: "anna"))
    #expect(try balance(of: "anna") == 0)
  }

  @Test("are covered by a purchase of the same batch, whose names are new")
  func sameBatch() throws {
    try append(
      Shop.catalogue, Shop.purchase("1", by: "anna"), Shop.consumption("a", of: 10, by: "anna"))
    #expect(try balance(of: "anna") == 0)
  }

  @Test("of an account that no event names before are refused")
  func stranger() throws {
    try append(Shop.catalogue)
    try expectNotCovered(Shop.consumption("a", of: 1, by: "nobody"))
  }

  @Test("that were refused leave nobody's name behind for whoever is named next")
  func strangerAndNext() throws {
    try append(Shop.catalogue)
    try expectNotCovered(Shop.consumption("a", of: 1, by: "nobody"))
    // This takes the number and the slot that were released.
    try append(Shop.purchase("1", by: "carol"))
    let accounts = try walk.ledger().log.allEvents().compactMap(\.event.account)
    #expect(accounts == ["carol"])
  }

  @Test("are refused with all of their batch where the batch as a whole is not covered")
  func together() throws {
    try append(Shop.catalogue, Shop.purchase("1", by: "anna"))
    try expectNotCovered(
      Shop.consumption("a", of: 6, by: "anna"), Shop.consumption("b", of: 6, by: "anna"))
    #expect(try balance(of: "anna") == 10)
  }

  @Test("are judged by what stands before them, however the batch is cut")
  func beforeOthers() throws {
    try append(Shop.catalogue, Shop.purchase("1", by: "anna"))
    try append(
      Shop.consumption("a", of: 10, by: "anna"),
      Shop.consumption("b", of: 3, by: "anna", required: false))
    #expect(try balance(of: "anna") == -3)
    try append(Shop.purchase("2", by: "berta"), Shop.purchase("3", by: "carol"))
    // What is refunded afterwards was there when it was consumed.
    try append(
      Shop.consumption("c", of: 10, by: "berta"), Shop.refund("2", at: 20),
      Shop.consumption("d", of: 1, by: "carol", at: 30))
    #expect(try balance(of: "berta") == -10)
    #expect(try balance(of: "carol") == 9)
    // The one that is not covered is named, and not one before it.
    let batch = [
      Shop.consumption("e", of: 9, by: "carol"), Shop.consumption("f", of: 1, by: "carol"),
    ]
    let error = #expect(throws: LedgerError.self) { try walk.ledger().appendAndWait(batch) }
    #expect(error?.code == .notCovered)
    #expect(error?.index == 1)
    #expect(error?.message.contains("the balance is 0") == true)
  }

  @Test("of a transaction that nobody holds are refused")
  func nobodys() throws {
    try append(Shop.catalogue, Shop.purchase("1", by: "anna"))
    try walk.ledger().erase(Shop.erasure(of: "anna", at: 20))
    try expectNotCovered(
      Shop.consumption("a", of: 1, by: "berta", at: 30) { $0.transaction = "1" })
  }

  @Test("count what linked accounts have")
  func linked() throws {
    try append(Shop.catalogue, Shop.purchase("1", by: "anna"), Shop.purchase("2", by: "berta"))
    try expectNotCovered(Shop.consumption("a", of: 15, by: "berta", at: 20))
    try append(Shop.link("berta", to: "anna", at: 15))
    try append(Shop.consumption("b", of: 15, by: "berta", at: 20))
    #expect(try balance(of: "anna") == 5)
  }

  @Test("count purchases that happened after them: all that the ledger knows")
  func laterPurchase() throws {
    try append(Shop.catalogue, Shop.purchase("1", by: "anna", at: 100))
    try append(Shop.consumption("a", of: 10, by: "anna", at: 50))
    #expect(try balance(of: "anna") == 0)
  }

  @Test("are judged in the environment of the transaction that they name")
  func environments() throws {
    try append(Shop.catalogue, Shop.purchase("1", by: "anna", in: .sandbox))
    try expectNotCovered(Shop.consumption("a", of: 1, by: "anna"))
    try append(Shop.consumption("b", of: 7, by: "anna") { $0.transaction = "1" })
    #expect(try balance(of: "anna", .sandbox) == 3)
  }

  @Test("speak for the holder of the transaction that they name")
  func holder() throws {
    try append(Shop.catalogue, Shop.purchase("1", by: "anna"))
    try append(Shop.consumption("a", of: 7, by: "berta", at: 20) { $0.transaction = "1" })
    #expect(try balance(of: "anna") == 3)
    try expectNotCovered(Shop.consumption("b", of: 4, by: "anna"))
  }

  @Test("that a line with a position states are not asked for again")
  func acceptedBefore() throws {
    var input = Shop.consumption("a", of: 3, by: "anna")
    input.position = 12
    try append(Shop.catalogue, input)
    #expect(try balance(of: "anna") == -3)
  }

  @Test("of many tasks at once never spend more than there is")
  func manyTasks() async throws {
    let ledger = try walk.ledger()
    try await ledger.append([Shop.catalogue] + (0..<5).map { Shop.purchase("\($0)", by: "anna") })
    let accepted = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<12 {
        group.addTask {
          var accepted = 0
          for number in 0..<8 {
            do throws(LedgerError) {
              try await ledger.append([
                Shop.consumption("\(task)-\(number)", of: 3, by: "anna", at: Int64(number))
              ])
              accepted += 1
            } catch {
              guard error.code == .notCovered else { throw error }
            }
          }
          return accepted
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(accepted == 16)
    #expect(try balance(of: "anna") == 2)
    #expect(try ledger.log.verify().faults.isEmpty)
  }
}
