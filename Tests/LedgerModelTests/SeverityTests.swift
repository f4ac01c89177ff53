import LedgerEvents
import LedgerModel
import Testing

/// The severity of each rule, as in the tables of `rules.md`.
struct SeverityTests {
  private static let severities: [String: [String]] = [
    "critical": [
      "finished-before-download", "finished-after-failed-download", "finished-before-install",
      "install-failed-then-finished", "finished-before-fulfillment", "content-missing-at-install",
      "undelivered", "fulfilled-twice", "unfulfilled",
    ],
    "error": [
      "finished-while-purchasing", "removed-without-finish", "delivery-loop",
      "download-without-payment", "download-after-finish", "installed-before-download",
      "digest-mismatch", "invalid-product", "payment-not-allowed", "hosted-content-unsupported",
      "account-changed", "environment-mixed", "install-interrupted", "failed-after-purchase",
      "fulfilled-unpurchased",
    ],
    "warning": [
      "finished-unknown", "finished-twice", "progress-regressed", "install-downgraded",
      "redundant-download", "version-not-increased", "restored-without-original",
      "restored-twice", "restore-completed-early", "restore-storm", "purchased-twice",
      "original-shared", "failed-without-error", "never-finished", "payment-unanswered",
      "download-stalled", "restore-unanswered", "restore-incomplete",
    ],
    "info": [
      "finished-without-download", "redelivered", "delivered-after-finish", "backup-not-excluded",
      "purchased-after-failure", "arrived-late", "clock-ahead", "clock-stepped",
    ],
  ]

  @Test("every rule has the severity of its row") func everyRule() {
    var reported: [String: [String]] = [:]
    for rule in Rule.allCases { reported[rule.severity.text, default: []].append(rule.id) }
    #expect(reported.mapValues { Set($0) } == Self.severities.mapValues { Set($0) })
  }

  @Test("severities go from info to critical") func severitiesGo() {
    #expect(
      Rule.Severity.allCases.sorted().map(\.text) == ["info", "warning", "error", "critical"])
    #expect(
      Finding(rule: .undelivered, environment: .production, position: 1, occurredAt: 0).severity
        == .critical)
  }

  @Test("an id that no rule has is no rule") func idNo() {
    #expect(Rule(id: "finished-too-early") == nil)
  }
}
