import CoreMetrics
import Synchronization

/// The metrics of the process, as Prometheus reads them.
///
/// Counters are counters, timers are histograms in seconds, recorders are histograms, meters and
/// recorders without aggregation are gauges.
///
/// Source: Prometheus, *Exposition formats*, text format 0.0.4.
final class PrometheusRegistry: Sendable {
  /// The upper bounds of the buckets of a timer, in seconds: from a lookup to a long question.
  private static let secondBounds = [
    0.000_1, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]
  /// The upper bounds of the buckets of other values, such as bytes and events.
  private static let valueBounds: [Double] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
  /// The most series of the process. A label that grows without end must not fill the memory; what
  /// comes after that is counted nowhere.
  private static let seriesMax = 5_000

  struct Key: Hashable {
    let name: String
    let labels: [Label]
  }

  struct Label: Hashable {
    let name: String
    let value: String
  }

  private struct Histogram {
    let bounds: [Double]
    var counts: [UInt64]
    var sum = 0.0
    var count: UInt64 = 0

    init(_ bounds: [Double]) {
      self.bounds = bounds
      counts = bounds.map { _ in 0 }
    }
  }

  private enum Series {
    case counter(Double)
    case gauge(Double)
    case histogram(Histogram)

    var type: String {
      switch self {
      case .counter: "counter"
      case .gauge: "gauge"
      case .histogram: "histogram"
      }
    }
  }

  private let series = Mutex<[Key: Series]>([:])

  // MARK: - Recording

  func count(_ key: Key, _ amount: Double) {
    change(key) {
      if case .counter(let sum) = $0 { $0 = .counter(sum + amount) } else { $0 = .counter(amount) }
    }
  }

  func set(_ key: Key, _ value: Double) { change(key) { $0 = .gauge(value) } }

  func add(_ key: Key, _ amount: Double) {
    change(key) {
      if case .gauge(let value) = $0 { $0 = .gauge(value + amount) } else { $0 = .gauge(amount) }
    }
  }

  func observe(_ key: Key, seconds: Double) { observe(key, seconds, Self.secondBounds) }

  func observe(_ key: Key, value: Double) { observe(key, value, Self.valueBounds) }

  private func observe(_ key: Key, _ value: Double, _ bounds: [Double]) {
    change(key) { series in
      var histogram = Histogram([])
      if case .histogram(let known)? = series {
        histogram = known
      } else {
        histogram = Histogram(bounds)
      }
      // The counts have one owner while they are changed, so that they are not copied.
      series = nil
      histogram.sum += value
      histogram.count += 1
      for (index, bound) in bounds.enumerated() where value <= bound {
        histogram.counts[index] += 1
      }
      series = .histogram(histogram)
    }
  }

  /// Changes a series, which is looked up once: each request changes several.
  private func change(_ key: Key, _ body: (inout Series?) -> Void) {
    series.withLock { series in
      if series.count < Self.seriesMax {
        body(&series[key])
      } else if let index = series.index(forKey: key) {
        var known: Series? = series.values[index]
        body(&known)
        if let known { series.values[index] = known }
      }
    }
  }

  func remove(_ key: Key) { series.withLock { _ = $0.removeValue(forKey: key) } }

  /// Forgets the series whose names begin with a label's, and that are of what is not any more.
  ///
  /// - Parameters:
  ///   - prefix: How the names begin, as swift-metrics has them.
  ///   - label: The label that says of what a series is.
  ///   - kept: The values of the label whose series stay.
  func forget(_ prefix: String, label: String, except kept: Set<String>) {
    let prefix = Key(prefix, []).name + "_"
    series.withLock { series in
      series = series.filter { key, _ in
        guard key.name.hasPrefix(prefix), let of = key.labels.first(where: { $0.name == label })
        else { return true }
        return kept.contains(of.value)
      }
    }
  }

  // MARK: - Reading

  /// All metrics, sorted by name, each name with its type.
  var text: String {
    let sorted = series.withLock { Array($0) }.sorted { left, right in
      (left.key.name, Self.text(left.key.labels)) < (right.key.name, Self.text(right.key.labels))
    }
    var text = ""
    var name: String?
    for (key, series) in sorted {
      if key.name != name {
        name = key.name
        if let help = Self.help[key.name] { text += "# HELP \(key.name) \(help)\n" }
        text += "# TYPE \(key.name) \(series.type)\n"
      }
      text += Self.lines(key, series)
    }
    return text
  }

  private static func lines(_ key: Key, _ series: Series) -> String {
    switch series {
    case .counter(let value), .gauge(let value):
      return "\(key.name)\(text(key.labels)) \(text(value))\n"
    case .histogram(let histogram):
      var text = ""
      for (bound, count) in zip(histogram.bounds, histogram.counts) {
        text += line(key, "_bucket", [Label(name: "le", value: Self.text(bound))], "\(count)")
      }
      text += line(key, "_bucket", [Label(name: "le", value: "+Inf")], "\(histogram.count)")
      text += line(key, "_sum", [], Self.text(histogram.sum))
      return text + line(key, "_count", [], "\(histogram.count)")
    }
  }

  private static func line(
    _ key: Key, _ suffix: String, _ labels: [Label], _ value: String
  ) -> String {
    "\(key.name)\(suffix)\(text(key.labels + labels)) \(value)\n"
  }

  private static func text(_ number: Double) -> String {
    number.rounded() == number && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
  }

  private static func text(_ labels: [Label]) -> String {
    if labels.isEmpty { return "" }
    let pairs = labels.map { label in
      let value = label.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(label.name)=\"\(value)\""
    }
    return "{\(pairs.joined(separator: ","))}"
  }

  /// What a metric means, for those that Daybook counts itself.
  private static let help = [
    "daybook_log_position": "The last position of the log.",
    "daybook_projection_position": "The position up to which the projections are folded.",
    "daybook_projection_lag_events": "Events that wait for the next fold of the projections.",
    "daybook_ledger_readable": "Whether the log and the projections can be read.",
    "daybook_webhooks_readable": "Whether the webhooks and their messages can be read.",
    "daybook_followers": "Clients that follow the log.",
    "daybook_webhook_attempts_total": "Messages that were sent, by webhook and outcome.",
    "daybook_webhook_dead": "Messages that no receiver has taken for three days.",
    "daybook_webhook_waiting": "Messages that are to be sent.",
    "daybook_connections_refused_total": "Connections of addresses that had too many.",
    "daybook_events_appended_total": "Events that were appended by this process.",
    "daybook_events_duplicate_total": "Events that were sent again and were in the ledger.",
    "daybook_events_rejected_total": "Events that were refused.",
    "daybook_requests_limited_total": "Requests that were refused because of too many, by what.",
    "http_server_request_duration_seconds": "How long requests took.",
    "http_server_active_requests": "Requests that are being answered.",
    "hb_request_errors_total": "Requests that no route has answered, by method and status.",
    "hb_requests_total": "Requests by route, method and status.",
  ]
}

extension PrometheusRegistry.Key {
  /// The key of a metric of swift-metrics, with a name as Prometheus wants it.
  init(_ label: String, _ dimensions: [(String, String)], suffix: String = "") {
    var name = Self.word(label)
    if !suffix.isEmpty, !name.hasSuffix(suffix) { name += suffix }
    self.init(
      name: name,
      labels: dimensions.map { PrometheusRegistry.Label(name: Self.word($0.0), value: $0.1) })
  }

  /// Letters, digits and underscores, beginning with a letter.
  private static func word(_ text: String) -> String {
    let word = String(
      text.unicodeScalars.map { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": Character(scalar)
        default: "_"
        }
      })
    guard let first = word.unicodeScalars.first, !("0"..."9").contains(first) else {
      return "_" + word
    }
    return word
  }
}
