package import LedgerEvents
package import LedgerModel
package import LedgerQueries
package import LocalTime

/// The quantities that are added up.
package enum Summand: String, CaseIterable {
  /// Money: the price of a sale, or the amount of a refund.
  case price
  /// The number of items.
  case quantity
}

/// Sums of postings, by one or several values.
package struct SumTable {
  private let dimensions: [EventDimension]
  private let summands: [Summand]
  private let zone: Zone
  /// The rates by which amounts are converted into one currency; `nil` if each amount keeps its
  /// currency.
  private let rates: ExchangeRates?
  private var sums = PostingSums<GroupCounts.Values>()
  /// The first posting for which no rate is known.
  package private(set) var withoutRate: PostingAnswer?

  /// - Parameters:
  ///   - dimensions: By what the sums are grouped.
  ///   - summands: What is added up.
  ///   - rates: The rates by which amounts are converted; `nil` if each keeps its currency.
  ///   - zone: Whose days and months count.
  package init(
    _ dimensions: [EventDimension], _ summands: [Summand], rates: ExchangeRates? = nil,
    zone: Zone
  ) {
    self.dimensions = dimensions
    self.summands = summands
    self.rates = rates
    self.zone = zone
  }

  /// Adds a posting; returns `false` if no rate is known for it.
  package mutating func add(
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
    try sums.add(posting, to: dimensions.map { $0.value(of: posting, sessions, zone) })
    return true
  }

  /// Currencies never mix, so they are a column whenever money is summed.
  package var showsCurrency: Bool {
    summands.contains(.price) && !dimensions.contains(.currency)
  }

  /// A line of the answer.
  package struct Line {
    package var values: GroupCounts.Values
    package var kind: Posting.Kind
    package var currency: Name?
    package var sum: PostingSums<GroupCounts.Values>.Sum
  }

  /// The sums in their order.
  ///
  /// - Throws: ``LedgerError``, `limitReached` if a sum has too many digits.
  package func lines() throws(LedgerError) -> [Line] {
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

  /// Sales net of refunds, of one group and currency.
  package typealias NetLine = (
    key: NetSums<GroupCounts.Values>.Key, sum: NetSums<GroupCounts.Values>.Sum
  )

  /// Sales net of refunds, a line for each group and currency.
  ///
  /// - Throws: ``LedgerError``, `limitReached` if a sum has too many digits.
  package func netLines() throws(LedgerError) -> [NetLine] {
    let net = try NetSums(sums)
    return net.sums.map { ($0.key, $0.value) }.sorted { left, right in
      GroupCounts.areInOrder(
        left.key.group + [left.key.currency], right.key.group + [right.key.currency])
    }
  }

  /// The names of the members of a net line, in their order.
  package var netColumns: [String] {
    dimensions.map(\.rawValue) + (showsCurrency ? ["currency"] : [])
      + ["sales", "refunds", "sold", "refunded", "net", "withoutAmount"]
  }

  /// Writes a net line.
  package func write(_ line: NetLine, to json: inout JSONText) {
    json.object { json in
      for (dimension, value) in zip(dimensions, line.key.group) {
        json.member(dimension.rawValue, value)
      }
      if showsCurrency { json.member("currency", line.key.currency) }
      json.member("sales", line.sum.sales)
      json.member("refunds", line.sum.refunds)
      json.member("sold", line.sum.sold.text)
      json.member("refunded", line.sum.refunded.text)
      json.member("net", line.sum.net.text)
      json.member("withoutAmount", line.sum.withoutAmount)
    }
  }

  /// The names of the members of a line, in their order.
  package var columns: [String] {
    dimensions.map(\.rawValue) + ["posting"] + (showsCurrency ? ["currency"] : [])
      + ["transactions"] + (summands.contains(.quantity) ? ["quantity"] : [])
      + (summands.contains(.price) ? ["amount", "withoutAmount"] : [])
  }

  /// Writes a line.
  package func write(_ line: Line, to json: inout JSONText) {
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
