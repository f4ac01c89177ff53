import Foundation
import Testing

@Suite("Sums that finance uses") struct NetSumCommandTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    let appended = try ledger.run("append", "Tools/samples/books.jsonl")
    try #require(appended.status == 0, "\(appended.errors)")
  }

  private func rates(_ text: String) throws -> String {
    let path = ledger.folder.path("rates.json")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("years and quarters add up to the whole") func periods() throws {
    func net(_ by: String) throws -> [String: Decimal] {
      let lines = try ledger.run(
        "events", "--sum", "price", "--net", "--by", by, "--format", "json"
      ).objects()
      return lines.reduce(into: [:]) { sums, line in
        let currency = line["currency"] as? String ?? "-"
        sums[currency, default: 0] += Decimal(string: line["net"] as? String ?? "") ?? .nan
      }
    }
    let year = try net("year")
    #expect(year["EUR"] != nil)
    #expect(try net("quarter") == year)
    #expect(try net("month,product,storefront") == year)
    let quarters = try ledger.run(
      "events", "--sum", "price", "--net", "--by", "quarter", "--format", "json"
    ).objects()
    #expect(Set(quarters.compactMap { $0["quarter"] as? String }) == ["2026-Q1", "2026-Q2"])
  }

  @Test("amounts are converted by the rates of the file, and by no other") func converted() throws {
    let path = try rates(
      #"{"currency":"EUR","rates":[{"currency":"USD","rate":"0.5"},{"currency":"JPY","rate":"0.01"}]}"#
    )
    let answer = try ledger.run(
      "events", "--sum", "price", "--net", "--rates", path, "--format", "json")
    #expect(answer.status == 0, "\(answer.errors)")
    let reported = try answer.objects()
    #expect(reported.map { $0["currency"] as? String } == ["EUR"])
    var expected: Decimal = 0
    for line in try ledger.run("events", "--sum", "price", "--net", "--format", "json").objects() {
      let net = try #require(Decimal(string: line["net"] as? String ?? ""))
      let rate: Decimal =
        switch line["currency"] as? String {
        case "USD": Decimal(string: "0.5") ?? .nan
        case "JPY": Decimal(string: "0.01") ?? .nan
        default: 1
        }
      expected += net * rate
    }
    #expect(Decimal(string: reported[0]["net"] as? String ?? "") == expected)
    let missing = try rates(#"{"currency":"EUR","rates":[{"currency":"USD","rate":"0.5"}]}"#)
    let refused = try ledger.run("events", "--sum", "price", "--rates", missing)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("no rate for the price in JPY at position"))
  }

  @Test("a file that is no rates says where") func wrong() throws {
    let wrong = [
      ("{}", "expected exchange rates"), (#"{"currency":"EUR","rates":[]}"#, "names no rate"),
      (#"{"currency":"EUR","rates":[{"currency":"USD","rate":"1,5"}]}"#, "rates[0].rate"),
      (#"{"currency":"EUR","rates":[{"currency":"USD","rate":"-1"}]}"#, "rates[0].rate"),
      (
        #"{"currency":"EUR","rates":[{"currency":"USD","rate":"1","since":"May"}]}"#,
        "rates[0].since"
      ),
    ]
    for (text, reason) in wrong {
      let refused = try ledger.run("events", "--sum", "price", "--rates", try rates(text))
      #expect(refused.status == 65, "\(text)")
      #expect(refused.errors.contains(reason), "\(refused.errors)")
    }
    #expect(try ledger.run("events", "--sum", "price", "--rates", "/no/file").status == 66)
    #expect(try ledger.run("events", "--sum", "quantity", "--net").status == 64)
    #expect(try ledger.run("events", "--net").status == 64)
  }
}
