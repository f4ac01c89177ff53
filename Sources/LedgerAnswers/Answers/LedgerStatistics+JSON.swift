package import LedgerModel
import LedgerQueries
package import LedgerStore

extension Sequence<FindingAnswer> {
  /// How often each rule was broken.
  package var countsByRule: [Rule: Int] {
    reduce(into: [:]) { counts, finding in counts[finding.rule, default: 0] += 1 }
  }
}

extension LedgerStatistics {
  /// The figures as a document.
  ///
  /// - Parameters:
  ///   - findings: How often each rule was broken.
  ///   - foldFailure: Why the last fold of the projections failed; `nil` if it did not.
  package func json(findings: [Rule: Int], foldFailure: String?) -> String {
    var json = JSONText()
    json.object { json in
      json.member("events", events)
      json.member("accounts", accounts)
      json.member(
        "bytes",
        object: { json in
          json.member("log", logBytes)
          json.member("projections", projectionBytes)
        })
      json.member(
        "positions",
        object: { json in
          json.member("log", events)
          json.member("projections", projectionPosition)
        })
      json.member("generation", generation)
      json.member(
        "eventsByType",
        object: { json in
          for (name, count) in Self.sorted(eventsByType) { json.member(name, count) }
        })
      json.member(
        "findingsByRule",
        object: { json in
          let counts = findings.map { ($0.key.id, $0.value) }
          let sorted = Self.sorted(Dictionary(uniqueKeysWithValues: counts))
          for (name, count) in sorted { json.member(name, count) }
        })
      json.key("oldestReader")
      if let reader = oldestReader {
        json.object { json in
          json.member("process", reader.process)
          json.member("commitsBehind", reader.commitsBehind)
        }
      } else {
        json.raw(nil)
      }
      if let foldFailure { json.member("foldFailure", foldFailure) }
    }
    return json.text
  }

  /// The most frequent first, then by name.
  package static func sorted(_ counts: [String: Int]) -> [(key: String, value: Int)] {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
  }
}
