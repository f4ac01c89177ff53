import Foundation
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerTesting
import Testing

@testable import LedgerQueries
@testable import LedgerStore

@Suite("Sums net of refunds") struct NetSumTests {
  private static let rates: [(currency: String, rate: String, since: String?)] = [
    ("USD", "0.92", nil), ("USD", "0.875", "2026-02-02T00:00:00Z"), ("JPY", "0.0061", nil),
  ]

  private func exchange() throws -> ExchangeRates {
    ExchangeRates(
      into: "EUR",
      try Self.rates.map { entry in
        ExchangeRates.Rate(
          currency: Name(entry.currency), rate: try #require(ExactDecimal(entry.rate)),
          since: try entry.since.map { try #require(Instant(rfc3339: $0)) })
      })
  }

  private static func plainRate(_ currency: Name?, _ time: Instant) -> Decimal? {
    switch currency?.text {
    case "EUR": 1
    case "USD": Decimal(string: time.rfc3339 >= "2026-02-02" ? "0.875" : "0.92")
    case "JPY": Decimal(string: "0.0061")
    default: nil
    }
  }

  @Test(
    "are what adding the oracle's entries says, by product and in one currency",
    arguments: 1...8 as ClosedRange<UInt64>)
  func oracle(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed &+ 9)
    let events = Histories.dense(seed: seed, count: 120).map { recorded in
      var recorded = recorded
      let kind = recorded.event.type.kind
      guard kind == .transactionPurchased || kind == .subscriptionRenewed else { return recorded }
      recorded.event.data.members.removeAll { ["price", "currency"].contains($0.name) }
      let price = random.one(of: ["0.99", "4.990", "1200", "0.333"])
      let currency = random.one(of: ["EUR", "USD", "JPY"])
      for (name, text) in [("price", price), ("currency", currency)] {
        recorded.event.data.members.append(.init(name: name, json: JSONValue.string(text).json))
      }
      return recorded
    }
    let walk = try LedgerWalk()
    try walk.append(events)
    let rates = try exchange()
    var sums = PostingSums<Name?>()
    var converted = PostingSums<Int>()
    try walk.ledger().read { (view) throws(LedgerError) in
      try view.postings(EventsQuery(), environments: StoreEnvironment.allCases) {
        (posting) throws(LedgerError) in
        try sums.add(posting, to: posting.product)
        guard let other = try rates.converted(posting) else {
          Issue.record("no rate for \(posting)")
          return true
        }
        try converted.add(other, to: 0)
        return true
      }
    }
    let times = Dictionary(
      uniqueKeysWithValues: walk.arrived.map { ($0.position, $0.event.occurredAt) })
    var expected: [NetSums<Name?>.Key: Decimal] = [:]
    var whole: Decimal = 0
    for entry in PostingOracle(walk.arrived).entries {
      let sign: Decimal =
        switch entry.kind {
        case .sale, .refundReversal: 1
        case .refund: -1
        case .revocation: 0
        }
      let amount = sign * (entry.amount ?? 0)
      let key = NetSums<Name?>.Key(group: entry.product, currency: entry.currency)
      expected[key, default: 0] += amount
      if amount != 0 {
        let time = try #require(times[entry.position])
        whole += amount * (try #require(Self.plainRate(entry.currency, time)))
      }
    }
    let net = try NetSums(sums)
    #expect(Set(net.sums.keys) == Set(expected.keys), "seed \(seed)")
    for (key, sum) in net.sums {
      #expect(Decimal(string: sum.net.text) == expected[key], "seed \(seed), \(key)")
      let sold = try #require(Decimal(string: sum.sold.text))
      let refunded = try #require(Decimal(string: sum.refunded.text))
      #expect(Decimal(string: sum.net.text) == sold - refunded)
    }
    let inEuro = try NetSums(converted).sums
    let reported = inEuro.filter { $0.key.currency == "EUR" }.values.first?.net.text
    #expect(reported.flatMap { Decimal(string: $0) } == whole, "seed \(seed)")
  }

  @Test("a rate counts from its time until the next, and none is invented") func rates() throws {
    let rates = try exchange()
    func rate(_ currency: Name, _ time: String) throws -> String? {
      rates.rate(of: currency, at: try #require(Instant(rfc3339: time)))?.text
    }
    #expect(try rate("USD", "2026-02-01T23:59:59Z") == "0.92")
    #expect(try rate("USD", "2026-02-02T00:00:00Z") == "0.875")
    #expect(try rate("EUR", "2026-02-02T00:00:00Z") == "1")
    #expect(try rate("GBP", "2026-02-02T00:00:00Z") == nil)
  }

  @Test("a product is exact, and too many digits are said") func products() {
    #expect(ExactDecimal("9.99")?.multiplied(by: ExactDecimal("0.92") ?? .zero)?.text == "9.1908")
    #expect(ExactDecimal("10.00")?.multiplied(by: ExactDecimal("0.50") ?? .zero)?.text == "5.00")
    #expect(ExactDecimal("5.00")?.negated.text == "-5.00")
    let large = ExactDecimal(exactly: String(repeating: "9", count: 38))
    #expect(large?.multiplied(by: ExactDecimal("2") ?? .zero) == nil)
  }
}
