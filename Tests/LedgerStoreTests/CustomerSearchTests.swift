import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@testable import LedgerQueries
@testable import LedgerStore

@Suite("Customers are found") struct CustomerSearchTests {
  private let now = Instant(microseconds: 1_800_000_000_000_000)

  private func walk(_ lines: String...) throws -> LedgerWalk {
    let walk = try LedgerWalk()
    for (index, line) in lines.enumerated() {
      let text =
        #"{"id":"e\#(index)","occurredAt":"2026-02-01T12:00:0\#(index)Z",\#(line)}"#
      let event = try EventDecoder().decode(line: Array(text.utf8)).event
      try walk.ledger().appendAndWait([EventInput(event: event)])
    }
    return walk
  }

  private func found(_ text: Name, _ walk: LedgerWalk) throws -> [CustomerAnswer] {
    try walk.ledger().read { (view) throws(LedgerError) in
      try view.customers(matching: text, now: now)
    }
  }

  private static let purchase = #""type":"transaction.purchased","product":"map""#

  @Test("by every id, linked ids as one") func ids() throws {
    let walk = try walk(
      #"\#(Self.purchase),"account":"ada","device":"phone","transaction":"t1","payment":"p1""#,
      #"\#(Self.purchase),"transaction":"t2","originalTransaction":"t1""#,
      #""type":"account.linked","account":"ada","data":{"to":"ada-2"}"#)
    for id in ["ada", "ada-2", "phone", "t1", "t2", "p1"] as [Name] {
      let customers = try found(id, walk)
      #expect(customers.map { Set($0.accounts) } == [["ada", "ada-2"]], "\(id)")
      #expect(customers.first?.matches.first?.nearness == .exact)
      #expect(customers.first?.transactions == 2)
      #expect(customers.first?.active == ["map"])
    }
    let kinds = try found("t1", walk).first?.matches.map(\.kind)
    #expect(kinds == [.transaction, .original])
  }

  @Test("by the holder of now, and nobody known by the transaction") func holders() throws {
    let walk = try walk(
      #"\#(Self.purchase),"account":"ada","transaction":"t1""#,
      #""type":"account.transferred","account":"ada","data":{"to":"bob"}"#,
      #"\#(Self.purchase),"device":"phone","transaction":"t9""#)
    #expect(try found("t1", walk).map(\.accounts) == [["bob"]])
    let nobody = try found("phone", walk)
    #expect(nobody.map(\.accounts) == [[]])
    #expect(nobody.map(\.reference) == [.transaction("t9")])
  }

  @Test("by the store's order, however an event spells it") func orders() throws {
    let walk = try walk(
      #"\#(Self.purchase),"account":"ada","transaction":"t1","data":{"orderId":"MK1"}"#,
      #"\#(Self.purchase),"account":"bob","transaction":"t2","#
        + #""data":{"web_order_line_item_id":480000400000001}"#,
      #"\#(Self.purchase),"account":"eve","transaction":"t3","data":{"webOrderLineItemId":"77"}"#,
      #"\#(Self.purchase),"account":"kim","transaction":"t4","data":{"other":"MK9"}"#)
    #expect(try found("MK1", walk).map(\.accounts) == [["ada"]])
    #expect(try found("480000400000001", walk).map(\.accounts) == [["bob"]])
    #expect(try found("77", walk).map(\.accounts) == [["eve"]])
    #expect(try found("77", walk).first?.matches.map(\.kind) == [.order])
    #expect(try found("MK9", walk).isEmpty)
  }

  @Test("by a part of an id, and else by what was probably meant") func near() throws {
    let walk = try walk(
      #"\#(Self.purchase),"account":"reader-north","transaction":"1000204501""#,
      #"\#(Self.purchase),"account":"reader-south","transaction":"1000777""#)
    #expect(try found("READER", walk).map(\.accounts) == [["reader-north"], ["reader-south"]])
    #expect(try found("0045", walk).isEmpty)
    #expect(try found("204501", walk).first?.matches.map(\.nearness) == [.part])
    #expect(try found("raeder-south", walk).map(\.accounts) == [["reader-south"]])
    #expect(try found("raeder-south", walk).first?.matches.map(\.nearness) == [.near])
    #expect(try found("re", walk).isEmpty)
  }

  @Test(
    "so that every question has the answer of the id", arguments: [1, 2, 4, 5, 6] as [UInt64])
  func agreement(_ seed: UInt64) throws {
    let walk = try LedgerWalk()
    let events = Histories.dense(seed: seed, count: 100)
    try walk.append(events[..<60])
    try walk.ledger().fold()
    try walk.append(events[60...])
    let all = StoreEnvironment.allCases
    try walk.ledger().read { (view) throws(LedgerError) in
      var held = 0
      for name in Set(events.compactMap(\.event.transaction)) {
        let asked = CustomerReference.transaction(name)
        let accounts = try view.accounts(of: asked)
        let customers = try view.customers(matching: name, now: now)
        let holders = customers.filter { customer in
          customer.matches.contains { $0.kind == .transaction }
            && Set(customer.accounts).isSuperset(of: accounts)
        }
        guard let holder = holders.first, !accounts.isEmpty else {
          #expect(accounts.isEmpty, "seed \(seed): \(name) is not found")
          continue
        }
        held += 1
        let direct = try view.entitlements(of: asked, now: now)
        #expect(direct.active == holder.active, "seed \(seed), \(name)")
        let listed = try view.transactions(of: asked).entries
        #expect(listed.count == holder.transactions, "seed \(seed), \(name)")
        #expect(listed.count(where: \.isOnQueue) == holder.openTransactions)
      }
      #expect(held > 0)
      for name in Set(events.compactMap(\.event.device)) {
        var expected: Set<[Name]> = []
        for event in events.map(\.event)
        where event.device == name && event.type.kind != .unknown {
          let reference =
            event.transaction.map { CustomerReference.transaction($0) }
            ?? event.account.map { .account($0) }
          guard let reference else { continue }
          expected.insert(try view.accounts(of: reference, environments: all).sorted())
        }
        let reported = try view.customers(matching: name, environments: all, now: now)
          .filter { $0.matches.contains { $0.kind == .device } }
        for accounts in expected where !accounts.isEmpty {
          #expect(reported.contains { Set($0.accounts).isSuperset(of: accounts) }, "seed \(seed)")
        }
      }
    }
  }

  @Test(
    "and all are listed, each once, with the findings of each",
    arguments: 11...14 as ClosedRange<UInt64>)
  func listed(_ seed: UInt64) throws {
    let walk = try LedgerWalk()
    let events = Histories.dense(seed: seed, count: 100)
    try walk.append(events)
    try walk.ledger().read { (view) throws(LedgerError) in
      var listed: [Name] = []
      try view.customers(now: now) { customer in
        listed += customer.accounts
        return true
      }
      #expect(Set(listed).count == listed.count)
      let stated = Set(
        events.filter { $0.event.type.kind != .unknown }.compactMap(\.event.account))
      #expect(Set(listed).isSuperset(of: stated), "seed \(seed)")
      let everything = try view.findings()
      for name in Set(events.compactMap(\.event.transaction)) {
        let accounts = try view.accounts(of: .transaction(name))
        var query = FindingsQuery()
        query.customer = .transaction(name)
        query.environments = [.production]
        let own = try view.findings(query)
        guard let account = accounts.first else {
          #expect(own.allSatisfy { $0.account == nil || !accounts.contains($0.account ?? "") })
          continue
        }
        query.customer = .account(account)
        let reported = try view.findings(query)
        #expect(reported.map(\.position) == own.map(\.position), "seed \(seed), \(name)")
        let held = Set(
          try view.transactions(of: .account(account)).entries.map {
            $0.transaction ?? $0.payment
          })
        let direct = everything.filter { finding in
          finding.account.map(accounts.contains) ?? false
            || finding.transaction.map { held.contains($0) } ?? false
        }
        #expect(Set(direct.map(\.position)).isSuperset(of: own.map(\.position)))
      }
    }
  }
}

@Suite("The overview of a customer") struct CustomerOverviewTests {
  @Test(
    "is what each question answers alone", arguments: 1...4 as ClosedRange<UInt64>)
  func agreement(_ seed: UInt64) throws {
    let now = Instant(microseconds: 1_800_000_000_000_000)
    let walk = try LedgerWalk()
    let events = Histories.dense(seed: seed, count: 90)
    try walk.append(events)
    try walk.ledger().read { (view) throws(LedgerError) in
      for account in Set(events.compactMap(\.event.account)) {
        for clocks in [Clocks.now, Clocks(asOf: .position(45))] {
          let reference = CustomerReference.account(account)
          let reported = try view.overview(
            of: reference, clocks: clocks, now: now, eventCountMax: 5)
          let direct = try view.entitlements(of: reference, clocks: clocks, now: now)
          #expect(reported.entitlements.active == direct.active)
          #expect(
            reported.openTransactions.map(\.transaction)
              == (try view.transactions(of: reference, clocks: clocks).entries)
              .filter(\.isOnQueue).map(\.transaction))
          var query = EventsQuery()
          query.account = account
          query.clocks = clocks
          var own: [RecordedEvent] = []
          try view.events(query) { event in
            own.append(event)
            return true
          }
          #expect(reported.eventCount == own.count, "seed \(seed), \(account)")
          let newest = own.sorted {
            (EventFoldKey($0).time, $0.position) < (EventFoldKey($1).time, $1.position)
          }.suffix(5)
          #expect(reported.lastEvents.map(\.position) == newest.map(\.position))
          #expect(
            Set(reported.devices.compactMap(\.name))
              == Set(
                own.compactMap(\.event.device)
                  + (try view.installed(of: reference, clocks: clocks)).compactMap(\.device)))
        }
      }
    }
  }
}
