import Foundation
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerTesting
import Testing

@testable import LedgerQueries

/// Returns a history with various prices.
private func pricedHistory(_ seed: UInt64) -> [RecordedEvent] {
  var random = SeededRandom(seed: seed &+ 0x50D5)
  let prices = ["0.99", "4.990", "29.99", "0", "1200", "0.333", "-1.00", "19.999999"]
  return Histories.dense(seed: seed, count: 90).map { recorded in
    var recorded = recorded
    let kind = recorded.event.type.kind
    guard kind == .transactionPurchased || kind == .subscriptionRenewed else { return recorded }
    recorded.event.data.members.removeAll { ["price", "currency"].contains($0.name) }
    func add(_ name: String, _ text: String) {
      recorded.event.data.members.append(.init(name: name, json: JSONValue.string(text).json))
    }
    if random.chance(3, in: 4) { add("price", random.one(of: prices)) }
    if random.chance(7, in: 8) { add("currency", random.one(of: ["EUR", "USD", "JPY"])) }
    return recorded
  }
}

extension PostingOracle.Entry {
  fileprivate init(_ posting: PostingAnswer) {
    self.init(
      kind: posting.kind, environment: posting.environment, transaction: posting.transaction,
      position: posting.event.position, product: posting.product, account: posting.account,
      quantity: posting.quantity, currency: posting.currency,
      amount: posting.amount.flatMap { Decimal(string: $0.text) })
  }
}

extension TemporaryLedger {
  fileprivate func postings(
    _ query: EventsQuery = EventsQuery(),
    environments: [StoreEnvironment] = StoreEnvironment.allCases
  ) throws -> [PostingAnswer] {
    try ledger.read { (view) throws(LedgerError) in
      var found: [PostingAnswer] = []
      try view.postings(query, environments: environments) { posting in
        found.append(posting)
        return true
      }
      return found
    }
  }
}

@Suite("What transactions put into the books") struct PostingTests {
  @Test(
    "gives back with a reversal what the refund before it took, once",
    arguments: [
      (["refundReversed"], ["0"]), (["refunded", "refundReversed"], ["10", "10"]),
      (["refunded", "revoked", "refundReversed"], ["10", "-", "10"]),
      (["refunded", "refundReversed", "revoked", "refundReversed"], ["10", "10", "-", "0"]),
    ] as [([String], [String])])
  func reversals(_ types: [String], _ amounts: [String]) throws {
    func line(_ id: Int, _ type: String, _ more: String = "") -> String {
      #"{"id":"\#(id)","type":"transaction.\#(type)","occurredAt":"2026-03-0\#(id)T10:00:00Z","#
        + #""source":"server","transaction":"t","product":"p"\#(more)}"#
    }
    let price = #","data":{"price":"10","currency":"EUR"}"#
    let lines = [line(1, "purchased", price)] + types.enumerated().map { line($0 + 2, $1) }
    let events = try lines.enumerated().map { index, text in
      RecordedEvent(
        position: UInt64(index + 1), recordedAt: Instant(microseconds: 1_800_000_000_000_000),
        event: try EventDecoder().decode(line: Array(text.utf8)).event)
    }
    let postings = try TemporaryLedger(halfFolded: events).postings()
    #expect(postings.map { $0.amount?.text ?? "-" } == ["10"] + amounts)
  }

  @Test(
    "is what another computation from the events says, now and as of each tenth position",
    arguments: 1...12 as ClosedRange<UInt64>)
  func oracle(_ seed: UInt64) throws {
    let events = RecordedEvent.shuffled(pricedHistory(seed), seed: seed)
    let folder = try TemporaryLedger(halfFolded: events)
    var found = 0
    for end in stride(from: 10, through: events.count, by: 10) {
      var query = EventsQuery()
      query.clocks = Clocks(asOf: .position(UInt64(end)))
      let reported = try folder.postings(query)
      let expected = PostingOracle(Array(folder.arrived.prefix(end))).entries
      #expect(
        Set(reported.map { PostingOracle.Entry($0) }) == expected, "seed \(seed) as of \(end)")
      #expect(reported.count == expected.count)
      found += reported.count
    }
    #expect(found > 20, "seed \(seed): the history sells too little")
  }

  @Test(
    "is cut at store time as everything is", arguments: 21...24 as ClosedRange<UInt64>)
  func storeTime(_ seed: UInt64) throws {
    let folder = try TemporaryLedger(halfFolded: pricedHistory(seed))
    for recorded in folder.arrived where recorded.position % 9 == 0 {
      var query = EventsQuery()
      query.clocks = Clocks(at: recorded.event.occurredAt)
      let known = folder.arrived.filter { EventFoldKey($0).time <= recorded.event.occurredAt }
      let reported = try folder.postings(query).map { PostingOracle.Entry($0) }
      #expect(Set(reported) == PostingOracle(known).entries, "seed \(seed)")
    }
  }

  @Test(
    "is in one period of store time, so that periods add up to the whole",
    arguments: 31...36 as ClosedRange<UInt64>)
  func periods(_ seed: UInt64) throws {
    let folder = try TemporaryLedger(halfFolded: pricedHistory(seed))
    var whole = PostingSums<Int>()
    for posting in try folder.postings() { try whole.add(posting, to: 0) }
    var parts = PostingSums<Int>()
    let times = folder.arrived.map(\.event.occurredAt).sorted()
    let cuts = [nil, times[times.count / 4], times[times.count / 2], times[times.count - 3], nil]
    for (since, until) in zip(cuts, cuts.dropFirst()) {
      var query = EventsQuery()
      query.since = since
      query.until = until
      for posting in try folder.postings(query) { try parts.add(posting, to: 0) }
    }
    #expect(parts.sums.count == whole.sums.count)
    for (key, sum) in whole.sums {
      #expect(parts.sums[key]?.amount == sum.amount)
      #expect(parts.sums[key]?.transactions == sum.transactions)
      #expect(parts.sums[key]?.quantity == sum.quantity)
    }
  }

  @Test(
    "is for some apps what another computation from their events alone says",
    arguments: [51, 52, 53, 55, 56, 57, 58, 59] as [UInt64])
  func knownApps(_ seed: UInt64) throws {
    let apps: [Name?] = ["app1", "app2", nil]
    let history = pricedHistory(seed).enumerated().map { index, recorded in
      var recorded = recorded
      recorded.event.app = apps[index % apps.count]
      return recorded
    }
    let folder = try TemporaryLedger(halfFolded: history)
    var found = 0
    for known in [["app1"], ["app1", "app2"]] as [Set<Name>] {
      let own = folder.arrived.filter { $0.event.app.map(known.contains) ?? false }
      let expected = PostingOracle(own).entries
      var query = EventsQuery()
      query.knownApps = known
      let reported = Set(try folder.postings(query).map { PostingOracle.Entry($0) })
      #expect(reported == expected, "seed \(seed), \(known)")
      // The filter chooses among them.
      query.app = "app1"
      let chosen = Set(try folder.postings(query).map { PostingOracle.Entry($0) })
      let positions = Set(own.filter { $0.event.app == "app1" }.map(\.position))
      #expect(chosen == expected.filter { positions.contains($0.position) }, "seed \(seed)")
      found += reported.count
    }
    #expect(found > 0, "seed \(seed): the history sells nothing")
  }

  @Test("of a price and of quantities beyond all measure does not end the sums of others")
  func beyondMeasure() throws {
    let folder = try TemporaryLedger()
    let lines = [
      ("1", #""price":"1234567890123","currency":"EUR""#),
      ("2", #""price":"4.99","currency":"EUR""#),
    ]
    for (id, price) in lines {
      let line =
        #"{"id":"\#(id)","type":"transaction.purchased","occurredAt":"2026-01-0\#(id)T00:00:00Z","#
        + #""account":"a","product":"p","transaction":"\#(id)","#
        + #""data":{"quantity":9223372036854775807,\#(price)}}"#
      let event = try EventDecoder().decode(line: Array(line.utf8)).event
      try folder.ledger.appendAndWait([EventInput(event: event)])
    }
    var sums = PostingSums<Int>()
    for posting in try folder.postings() { try sums.add(posting, to: 0) }
    let paid = sums.sums.first { $0.key.currency == "EUR" }?.value
    #expect(paid?.amount?.text == "4.99")
    #expect(sums.sums.values.reduce(0) { $0 + $1.quantity } == 2 * Int128(Int64.max))
    #expect(sums.sums.values.reduce(0) { $0 + $1.withoutAmount } == 1)
  }

  @Test(
    "is chosen by what decides it, whatever filters are combined",
    arguments: 41...46 as ClosedRange<UInt64>)
  func filters(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let folder = try TemporaryLedger(halfFolded: pricedHistory(seed))
    let all = try folder.postings()
    for _ in 0..<60 {
      let sample = random.one(of: all)
      var query = EventsQuery()
      var environments = StoreEnvironment.allCases
      var tests: [(PostingAnswer) -> Bool] = []
      let event = sample.event.event
      if random.chance(1, in: 3), let product = sample.product {
        query.product = product
        tests.append { $0.product == product }
      }
      if random.chance(1, in: 3) {
        query.original = sample.originalTransaction
        tests.append { $0.originalTransaction == sample.originalTransaction }
      }
      if random.chance(1, in: 3) {
        environments = [sample.environment]
        tests.append { $0.environment == sample.environment }
      }
      if random.chance(1, in: 3) {
        query.type = event.type.text
        tests.append { $0.event.event.type.text == event.type.text }
      }
      if random.chance(1, in: 3), let device = event.device {
        query.device = device
        tests.append { $0.event.event.device == device }
      }
      if random.chance(1, in: 3) {
        query.from = sample.event.position
        tests.append { $0.event.position >= sample.event.position }
      }
      let reported = Set(try folder.postings(query, environments: environments).map(\.key))
      #expect(reported == Set(all.filter { one in tests.allSatisfy { $0(one) } }.map(\.key)))
    }
  }
}

extension PostingAnswer {
  fileprivate var key: String {
    "\(kind.text) \(environment.text) \(transaction) \(event.position)"
  }
}

@Suite("Exact decimals") struct ExactDecimalTests {
  @Test(
    "are read as they were written",
    arguments: ["0", "0.99", "-1.50", "1200", "0.000000000001", "999999999999.999999999999"])
  func text(_ text: String) { #expect(ExactDecimal(text)?.text == text) }

  @Test(
    "are nothing else, and not longer than sums can keep",
    arguments: [
      "", ".", "1.", ".5", "+1", "1e2", "0x1", "1,5", " 1", "--1", "1.2.3", "1000000000000",
      "0.0000000000001",
    ])
  func refused(_ text: String) { #expect(ExactDecimal(text) == nil) }

  @Test("ten times a tenth is one, exactly") func tenths() throws {
    var sum = ExactDecimal.zero
    let tenth = try #require(ExactDecimal("0.10"))
    for _ in 0..<10 {
      let isAdded = sum.add(tenth)
      #expect(isAdded)
    }
    #expect(sum.text == "1.00")
    #expect(sum == ExactDecimal("1"))
    #expect(sum.hashValue == ExactDecimal("1")?.hashValue)
    #expect(sum.millionths == 1_000_000)
  }

  @Test("a part of it keeps every digit and no zero more") func parts() {
    #expect(ExactDecimal("9.99")?.part(percentMillionths: 50_000_000).text == "4.995")
    #expect(ExactDecimal("9.98")?.part(percentMillionths: 50_000_000).text == "4.99")
    #expect(ExactDecimal("0.01")?.part(percentMillionths: 1).text == "0.0000000001")
    #expect(ExactDecimal("0.01")?.part(percentMillionths: 1).millionths == nil)
    #expect(ExactDecimal("5")?.part(percentMillionths: 0).text == "0")
  }

  @Test("what is too large to add is said and changes nothing") func overflow() throws {
    let large = try #require(ExactDecimal(exactly: String(repeating: "9", count: 38)))
    var sum = large
    let isAdded = sum.add(large)
    #expect(!isAdded)
    #expect(sum == large)
  }
}
