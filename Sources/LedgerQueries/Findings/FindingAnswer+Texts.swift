internal import LedgerEvents
package import LedgerModel
internal import LedgerStore

extension FindingAnswer {
  /// Creates an answer from a finding, with names in place of numbers.
  ///
  /// - Complexity: O(1) look-ups.
  package init(_ finding: Finding, texts: any FactTexts) {
    func text(_ number: NameNumber) -> Name? { number == 0 ? nil : texts.text(of: number) }
    self.init(
      rule: finding.rule, severity: finding.severity, position: finding.position,
      occurredAt: Instant(microseconds: finding.occurredAt), environment: finding.environment,
      account: text(finding.account), device: text(finding.device),
      transaction: text(finding.transaction), product: text(finding.product),
      download: text(finding.download), detail: finding.detail)
  }
}
