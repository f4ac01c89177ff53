import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

/// The quantities that are added up.
enum Summand: String, CaseIterable {
  /// Money: the price of a sale, or the amount of a refund.
  case price
  /// The number of items.
  case quantity
}

/// Sums of postings, by one or several values.
struct SumTable {
  private let dimensions: [EventDimension]
  private let summands: [Summand]
  /// The rates by which amounts are converted into one currency; `nil` if each amount keeps its
  /// currency.
  private let rates: ExchangeRates?
  private var sums = PostingSums<GroupCounts.Values>()
  /// The first posting for which no rate is known.
  private(set) var withoutRate: PostingAnswer?

  init(_ dimensions: [EventDimension], _ summands: [Summand], rates: ExchangeRates? = nil) {
    self.dimensions = dimensions
    self.summands = summands
    self.rates = rates
  }

  /// Adds a posting; returns `false` if no rate is known for it.
  mutating func add(
    _ posting: PostingAnswer, _ sessions: SessionVersions?
  ) throws(LedgerError) -> Bool {
    var posting = posting
    if let rates {
      guard let converted = try rates.converted(posting) else {
        withoutRate = posting
        return false
      }
      posting = converted
    }
    try sums.add(posting, to: dimensions.map { $0.value(of: posting, sessions) })
    return true
  }

  /// Currencies never mix, so they are a column whenever money is summed.
  private var showsCurrency: Bool {
    summands.contains(.price) && !dimensions.contains(.currency)
  }

  /// A line of the answer.
  private struct Line {
    var values: GroupCounts.Values
    var kind: Posting.Kind
    var currency: Name?
    var sum: PostingSums<GroupCounts.Values>.Sum
  }

  /// The sums in their order.
  ///
  /// - Throws: ``LedgerError``, `limitReached` if a sum has too many digits.
  private func lines() throws(LedgerError) -> [Line] {
    var lines: [Line] = []
    for (key, sum) in sums.sums {
      lines.append(Line(values: key.group, kind: key.kind, currency: key.currency, sum: sum))
    }
    if !summands.contains(.price) { lines = Self.withoutCurrencies(lines) }
    return lines.sorted { left, right in
      if left.values != right.values { return GroupCounts.areInOrder(left.values, right.values) }
      if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
      return GroupCounts.areInOrder([left.currency], [right.currency])
    }
  }

  /// Quantities have no currency: those of one group and kind become one number.
  private static func withoutCurrencies(_ lines: [Line]) -> [Line] {
    struct Key: Hashable {
      var values: GroupCounts.Values
      var kind: Posting.Kind
    }
    var joined: [Key: Line] = [:]
    for line in lines {
      let key = Key(values: line.values, kind: line.kind)
      var sum = joined[key]?.sum ?? PostingSums<GroupCounts.Values>.Sum()
      sum.transactions += line.sum.transactions
      sum.quantity += line.sum.quantity
      joined[key] = Line(values: line.values, kind: line.kind, currency: nil, sum: sum)
    }
    return Array(joined.values)
  }

  /// Prints sales net of refunds, a line for each group and currency.
  ///
  /// - Throws: ``LedgerError``, `limitReached` if a sum has too many digits.
  func printNet(_ format: OutputFormat) throws(LedgerError) {
    typealias Entry = (key: NetSums<GroupCounts.Values>.Key, sum: NetSums<GroupCounts.Values>.Sum)
    let net = try NetSums(self.sums)
    let entries: [Entry] = net.sums.map { ($0.key, $0.value) }.sorted { left, right in
      GroupCounts.areInOrder(
        left.key.group + [left.key.currency], right.key.group + [right.key.currency])
    }
    let dimensions = dimensions
    let currency = showsCurrency ? ["currency"] : []
    let sums = ["sales", "refunds", "sold", "refunded", "net"]
    var printer = ListPrinter<Entry>(
      format,
      header: dimensions.map(\.rawValue) + currency + sums + ["without amount"],
      amounts: Set(sums + ["without amount"]),
      columns: dimensions.map(\.rawValue) + currency + sums + ["withoutAmount"],
      nothing: "nothing was sold, refunded or revoked",
      row: { entry in
        entry.key.group.map { String(cell: $0) }
          + (currency.isEmpty ? [] : [String(cell: entry.key.currency)])
          + ["\(entry.sum.sales)", "\(entry.sum.refunds)"]
          + [entry.sum.sold, entry.sum.refunded, entry.sum.net].map(\.text)
          + ["\(entry.sum.withoutAmount)"]
      },
      write: { entry, json in
        json.object { json in
          for (dimension, value) in zip(dimensions, entry.key.group) {
            json.member(dimension.rawValue, value)
          }
          if !currency.isEmpty { json.member("currency", entry.key.currency) }
          json.member("sales", entry.sum.sales)
          json.member("refunds", entry.sum.refunds)
          json.member("sold", entry.sum.sold.text)
          json.member("refunded", entry.sum.refunded.text)
          json.member("net", entry.sum.net.text)
          json.member("withoutAmount", entry.sum.withoutAmount)
        }
      })
    for entry in entries { printer.add(entry) }
    printer.end()
  }

  /// - Throws: ``LedgerError``, `limitReached` if a sum has too many digits.
  func print(_ format: OutputFormat) throws(LedgerError) {
    let lines = try lines()
    var header = dimensions.map(\.rawValue) + ["posting"]
    if showsCurrency { header.append("currency") }
    header.append("transactions")
    if summands.contains(.quantity) { header.append("quantity") }
    if summands.contains(.price) { header += ["amount", "without amount"] }
    var printer = ListPrinter<Line>(
      format, header: header,
      amounts: ["transactions", "quantity", "amount", "without amount"],
      columns: header.map { $0 == "without amount" ? "withoutAmount" : $0 },
      nothing: "nothing was sold, refunded or revoked", row: row, write: write)
    for line in lines { printer.add(line) }
    printer.end()
  }

  private func row(_ line: Line) -> [String] {
    var cells = line.values.map { String(cell: $0) } + [line.kind.text]
    if showsCurrency { cells.append(String(cell: line.currency)) }
    cells.append("\(line.sum.transactions)")
    if summands.contains(.quantity) { cells.append("\(line.sum.quantity)") }
    if summands.contains(.price) {
      cells += [line.sum.amount?.text ?? "-", "\(line.sum.withoutAmount)"]
    }
    return cells
  }

  private func write(_ line: Line, _ json: inout JSONText) {
    json.object { json in
      for (dimension, value) in zip(dimensions, line.values) {
        json.member(dimension.rawValue, value)
      }
      json.member("posting", line.kind.text)
      if showsCurrency { json.member("currency", line.currency) }
      json.member("transactions", line.sum.transactions)
      if summands.contains(.quantity) {
        // A number that does not fit a program's integer becomes a text instead of a wrong number.
        if let quantity = Int64(exactly: line.sum.quantity) {
          json.member("quantity", quantity)
        } else {
          json.member("quantity", "\(line.sum.quantity)")
        }
      }
      if summands.contains(.price) {
        json.member("amount", line.sum.amount?.text)
        json.member("withoutAmount", line.sum.withoutAmount)
      }
    }
  }
}
