import Entitlements
import Foundation
import LedgerEvents
import LedgerModel
import LedgerQueries
import Testing

@testable import LedgerStore

@Suite("A verdict")
struct VerdictTests {
  @Test("is yes until just before a subscription ends, and says when that is")
  func subscription() throws {
    let ledger = try TemporaryLedger(now: .noon(10))
    try ledger.append(.subscribed("t1", at: 0, until: 100))
    for folds in [false, true] {
      if folds { try ledger.ledger.fold() }
      let yes = ledger.lookup.isEntitled("anna", to: .product("monthly"))
      #expect(yes.isYes)
      #expect(yes.detail?.state == .active)
      #expect(yes.detail?.since == .noon)
      #expect(yes.detail?.expiresAt == .noon(100))
      #expect(yes.detail?.nextChangeAt == .noon(100))
      #expect(yes.detail?.position == 1)
      #expect(yes.detail?.environment == .production)
      let last = Instant.noon(100).advanced(by: -1)
      #expect(ledger.lookup.isEntitled("anna", to: .product("monthly"), at: last).isYes)
      let no = ledger.lookup.isEntitled("anna", to: .product("monthly"), at: .noon(100))
      #expect(!no.isYes)
      #expect(no.detail?.state == .expired)
      #expect(no.detail?.nextChangeAt == nil)
    }
  }

  @Test("is no without a state where a known account never had the item")
  func never() throws {
    let ledger = try TemporaryLedger()
    try ledger.append(.bought("t1", at: 0))
    try ledger.ledger.fold()
    let verdict = ledger.lookup.isEntitled("anna", to: .product("other"))
    #expect(verdict.detail != nil)
    #expect(verdict.detail?.state == nil)
    #expect(!verdict.isYes)
  }

  @Test("tells an unknown account apart, also while events wait to be folded")
  func unknownAccount() throws {
    let ledger = try TemporaryLedger()
    #expect(
      ledger.lookup.isEntitled("berta", to: .product("map")) == .unknownAccount(position: 0))
    try ledger.append(.bought("t1", at: 0))
    #expect(
      ledger.lookup.isEntitled("berta", to: .product("map")) == .unknownAccount(position: 1))
    try ledger.ledger.fold()
    #expect(
      ledger.lookup.isEntitled("berta", to: .product("map")) == .unknownAccount(position: 1))
    #expect(
      ledger.lookup.isEntitled("anna", to: .product("map"), at: .noon(-1))
        == .unknownAccount(position: 1))
  }

  /// A purchase on a device of the account's own, so that it is a customer of its own.
  private func bought(_ id: Name, _ account: Name) -> Event {
    var event = Event.bought(id, account, at: 0)
    event.device = account
    return event
  }

  @Test("is found stored while events of others wait to be folded, and only then")
  func stored() throws {
    let ledger = try TemporaryLedger()
    func stored(_ account: String) -> Verdict? {
      ledger.lookup.storedVerdict(account, to: .product("map"), environments: [.production])
    }
    func asked(_ account: String) -> Verdict {
      ledger.lookup.isEntitled(account, to: .product("map"))
    }
    try ledger.append(bought("t1", "anna"))
    try ledger.ledger.fold()
    #expect(stored("anna") == nil, "nobody has asked yet")
    #expect(asked("anna").isYes && stored("anna") == asked("anna"))
    let done = try ledger.ledger.schedule.whileNobodyFolds { () throws(LedgerError) in
      Result {
        // An event of somebody else is not folded.
        try ledger.append(bought("t2", "berta"))
        let beside = try #require(stored("anna"))
        #expect(beside.isYes && beside.detail?.position == 2)
        #expect(asked("berta").isYes)
        #expect(stored("berta") == nil && stored("nobody") == nil)
        // So many that whoever must not wait does not read them.
        try ledger.append(
          (0...64).map { number in
            let event = bought(Name("more-\(number)"), Name("guest-\(number)"))
            return RecordedEvent(position: 1, recordedAt: event.occurredAt, event: event)
          })
        #expect(stored("anna") == nil)
        #expect(asked("anna").detail?.position == 67)
        #expect(stored("anna")?.detail?.position == 67)
        // The account's own event is not folded.
        try ledger.append(.granted("t3", "anna", "pro", at: 3))
        #expect(stored("anna") == nil)
        #expect(asked("anna").detail?.position == 68)
        #expect(stored("anna") == nil)
      }
    }
    try done.get()
    try ledger.ledger.fold()
    #expect(stored("anna") == nil, "the tail is that of the former projections")
    #expect(asked("anna").detail?.position == 68)
    #expect(stored("anna") == asked("anna"))
  }

  @Test("of an entitlement is the best of the products that open it")
  func entitlement() throws {
    let ledger = try TemporaryLedger(now: .noon(200))
    try ledger.append(
      .catalog("c1", "monthly", "autoRenewable", opens: ["pro"], at: -10),
      .catalog("c2", "map", "nonConsumable", opens: ["pro"], at: -10),
      .subscribed("t1", at: 0, until: 100))
    try ledger.ledger.fold()
    #expect(ledger.lookup.isEntitled("anna", to: .entitlement("pro")).detail?.state == .expired)
    try ledger.append(.bought("t2", at: 50))
    #expect(ledger.lookup.isEntitled("anna", to: .entitlement("pro")).isYes)
    try ledger.ledger.fold()
    #expect(ledger.lookup.isEntitled("anna", to: .entitlement("pro")).isYes)
    #expect(!ledger.lookup.isEntitled("anna", to: .product("pro")).isYes)
  }

  @Test("follows a link at once, though the other account's row is as it was")
  func link() throws {
    let ledger = try TemporaryLedger()
    try ledger.append(.bought("t1", "anna", at: 0), .granted("g1", "berta", "beta", at: 0))
    try ledger.ledger.fold()
    #expect(!ledger.lookup.isEntitled("berta", to: .product("map")).isYes)
    try ledger.append(.linked("l1", "anna", "berta", at: 5))
    #expect(ledger.lookup.isEntitled("berta", to: .product("map")).isYes)
    #expect(ledger.lookup.isEntitled("anna", to: .entitlement("beta")).isYes)
  }

  @Test("changes when a catalogue that is not folded yet says what a product opens")
  func catalogue() throws {
    let ledger = try TemporaryLedger()
    try ledger.append(.bought("t1", at: 0))
    try ledger.ledger.fold()
    #expect(!ledger.lookup.isEntitled("anna", to: .entitlement("pro")).isYes)
    try ledger.append(.catalog("c1", "map", "nonConsumable", opens: ["pro"], at: -10))
    #expect(ledger.lookup.isEntitled("anna", to: .entitlement("pro")).isYes)
  }

  @Test("counts what a phone that runs ahead has bought, unless a moment is asked for")
  func phoneAhead() throws {
    let ledger = try TemporaryLedger(now: .noon)
    try ledger.append(.bought("t1", at: 180))
    try ledger.ledger.fold()
    #expect(ledger.lookup.isEntitled("anna", to: .product("map")).isYes)
    #expect(
      ledger.lookup.isEntitled("anna", to: .product("map"), at: .noon)
        == .unknownAccount(position: 1))
  }

  @Test("counts sandbox purchases only where a program says so")
  func environments() throws {
    let ledger = try TemporaryLedger()
    try ledger.append(
      .bought("t1", at: 0, environment: .sandbox), .bought("t2", "berta", at: 0))
    try ledger.ledger.fold()
    let open: Set<StoreEnvironment> = [.production, .sandbox]
    #expect(!ledger.lookup.isEntitled("anna", to: .product("map")).isYes)
    let verdict = ledger.lookup.isEntitled("anna", to: .product("map"), environments: open)
    #expect(verdict.isYes)
    #expect(verdict.detail?.environment == .sandbox)
    let reviewers = Entitlements(ledger: ledger.ledger, environments: open) { .noon }
    #expect(reviewers.isEntitled("anna", to: .product("map")).isYes)
    #expect(reviewers.isEntitled("berta", to: .product("map")).detail?.environment == .production)
  }
}

@Suite("A ledger that cannot be asked")
struct UnavailableTests {
  @Test("is unavailable, with the reason, where its projections are missing")
  func missingProjections() throws {
    let ledger = try TemporaryLedger()
    try ledger.append(.bought("t1", at: 0))
    let copy = ledger.path + "-copy"
    defer { remove(copy) }
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: ledger.path + "/log", toPath: copy + "/log")
    let lookup = try Entitlements(path: copy)
    guard case .unavailable(let why) = lookup.isEntitled("anna", to: .product("map")) else {
      Issue.record("an answer without projections")
      return
    }
    #expect(why.code == .rebuildNeeded)
    #expect(why.message.contains("daybook rebuild"))
    #expect(throws: LedgerError.self) { try lookup.entitlements(of: .account("anna")) }
  }

  @Test("answers again once somebody who may write has folded it anew")
  func comesBack() throws {
    let ledger = try TemporaryLedger()
    try ledger.append(.bought("t1", at: 0))
    try ledger.ledger.fold()
    #expect(ledger.lookup.isEntitled("anna", to: .product("map")).isYes)
    try ledger.ledger.rebuild()
    #expect(ledger.lookup.isEntitled("anna", to: .product("map")).isYes)
    try ledger.append(.bought("t2", product: "guide", at: 1))
    #expect(ledger.lookup.isEntitled("anna", to: .product("guide")).isYes)
  }

  @Test("is unavailable once it is closed, and closes after its lookups let go of it")
  func closed() throws {
    let ledger = try TemporaryLedger()
    try ledger.append(.bought("t1", at: 0))
    try ledger.ledger.fold()
    #expect(ledger.lookup.isEntitled("anna", to: .product("map")).isYes)
    #expect(throws: LedgerError.self) { try ledger.ledger.log.close() }
    ledger.lookup.release()
    try ledger.ledger.log.close()
    #expect(ledger.lookup.isEntitled("anna", to: .product("map")).detail == nil)
  }

  @Test("cannot be opened where there is none")
  func noLedger() {
    #expect(throws: LedgerError(.noLedger, "")) {
      try Entitlements(path: NSTemporaryDirectory() + "no-such-ledger")
    }
  }

  private func remove(_ path: String) {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      print("left \(path): \(error)")
    }
  }
}
