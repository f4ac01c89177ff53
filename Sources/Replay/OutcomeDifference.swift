internal import LedgerEvents
public import LedgerQueries

/// How the outcome of a replay of edited events differs from that of the original events.
public struct OutcomeDifference: Sendable {
  /// Findings of the original events that the edited ones do not have, with the positions of the
  /// source.
  public let gone: [FindingAnswer]
  /// Findings that only the edited events have, with their positions.
  public let new: [FindingAnswer]
  /// Entitlements, installed versions and balances that differ at the end. `before` is the result
  /// of the original events.
  public let changes: [ReplayChange]

  public var isEmpty: Bool { gone.isEmpty && new.isEmpty && changes.isEmpty }

  /// Compares findings by their rule, what they concern, and the event, whatever its position is
  /// now.
  ///
  /// - Complexity: O(*n*) in the findings and subjects of both.
  public init(from source: ReplayHistory, to edited: ReplayHistory) {
    let before = source.countedFindings
    let after = edited.countedFindings
    let known = Set(before.map(\.key))
    let left = Set(after.map(\.key))
    gone = before.filter { !left.contains($0.key) }.map(\.finding)
    new = after.filter { !known.contains($0.key) }.map(\.finding)
    var lines: [ReplaySubject: ReplayStanding] = [:]
    for line in source.state(after: source.steps.count - 1) {
      lines[line.subject] = line.standing
    }
    var changes: [ReplayChange] = []
    for line in edited.state(after: edited.steps.count - 1) {
      let was = lines.removeValue(forKey: line.subject)
      if was?.text != line.standing.text {
        changes.append(
          ReplayChange(subject: line.subject, before: was, after: line.standing))
      }
    }
    for (subject, standing) in lines {
      changes.append(ReplayChange(subject: subject, before: standing, after: nil))
    }
    self.changes = changes.filter { change in
      switch change.subject.kind {
      case .entitlement, .installed, .balance: true
      case .transaction, .payment, .download: false
      }
    }.sorted { $0.subject < $1.subject }
  }
}

/// A finding that is identified by its event instead of its position.
private struct CountedFinding: Hashable {
  var event: String
  var finding: String
  /// Its number among equal findings, from 1.
  var number: Int
}

extension ReplayHistory {
  /// All findings, in their order.
  fileprivate var countedFindings: [(key: CountedFinding, finding: FindingAnswer)] {
    var ids: [UInt64: Name] = [:]
    for step in steps { ids[step.event.position] = step.event.event.id }
    var counts: [CountedFinding: Int] = [:]
    return (outcome.findings + outcome.findingsAtTheEnd).map { finding in
      var part = finding
      part.position = 0
      // A moved event occurs at another time, but it is the same event.
      part.occurredAt = Instant(microseconds: 0)
      var key = CountedFinding(
        event: ids[finding.position]?.text ?? "\(finding.position)", finding: "\(part)", number: 0)
      counts[key, default: 0] += 1
      key.number = counts[key, default: 0]
      return (key, finding)
    }
  }
}
