import LedgerEvents
package import LedgerModel

/// A changed default of `rules.md`: a rule and how long something may stay open, such as
/// `never-finished=PT48H`.
package struct RuleThreshold: Sendable {
  /// Why a text is none.
  package struct Invalid: Error {
    package let message: String
  }

  private let rule: Rule
  private let microseconds: Int64

  /// Reads `RULE=DURATION`.
  ///
  /// - Throws: ``Invalid``.
  package init(_ text: String) throws(Invalid) {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let rule = Rule(id: parts[0]), Thresholds.rules.contains(rule) else {
      let rules = Thresholds.rules.map(\.id).joined(separator: ", ")
      throw Invalid(message: "expected RULE=DURATION with one of these rules: \(rules).")
    }
    guard let duration = CalendarDuration(iso8601: parts[1]), duration.months == 0 else {
      throw Invalid(
        message: "expected a duration of ISO 8601 without months and years, such as PT2H or P3D.")
    }
    self.rule = rule
    microseconds = duration.days * Instant.day + duration.microseconds
  }

  package func apply(to thresholds: inout Thresholds) {
    let isKnown = thresholds.set(rule, to: microseconds)
    precondition(isKnown, "\(rule.id) has no threshold")
  }
}
