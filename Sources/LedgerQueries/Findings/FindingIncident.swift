public import LedgerEvents
public import LedgerModel

/// Findings with the same cause, grouped because a person deals with them together.
///
/// Two findings in the same environment belong to the same incident if they concern the same
/// transaction, if one event broke both rules, or if the same rule was broken for the same account
/// on the same device within ``sittingMax``. If two findings each belong together with a third one,
/// all three are one incident.
public struct FindingIncident: Sendable {
  /// The maximum time between two breaches of a rule in the same incident, in microseconds: a day.
  /// An app does the same thing to every purchase of a launch or of a restore.
  public static let sittingMax = Instant.day

  /// Sorted by position; never empty.
  public let findings: [FindingAnswer]

  /// The first of the most severe findings. It names the incident.
  public var head: FindingAnswer {
    findings.reduce(findings[0]) { $1.severity > $0.severity ? $1 : $0 }
  }

  /// The broken rules: the head's first, then the others in the order of their findings.
  public var rules: [Rule] { distinct([head.rule] + findings.map(\.rule)) }

  /// The store times of the earliest and the latest finding's event.
  public var since: Instant { findings.map(\.occurredAt).min() ?? findings[0].occurredAt }
  public var until: Instant { findings.map(\.occurredAt).max() ?? findings[0].occurredAt }

  public var accounts: [Name] { distinct(findings.compactMap(\.account)) }
  public var devices: [Name] { distinct(findings.compactMap(\.device)) }
  public var transactions: [Name] { distinct(findings.compactMap(\.transaction)) }
  public var products: [Name] { distinct(findings.compactMap(\.product)) }

  private func distinct<Value: Hashable>(_ values: [Value]) -> [Value] {
    var seen: Set<Value> = []
    return values.filter { seen.insert($0).inserted }
  }

  /// Groups findings that have the same cause.
  ///
  /// - Parameter findings: In any order.
  /// - Returns: The incidents in the order of the positions of their first findings.
  /// - Complexity: O(*n* log *n*).
  public static func incidents(of findings: [FindingAnswer]) -> [FindingIncident] {
    let findings = findings.enumerated().sorted {
      ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
    }.map(\.element)
    var groups = FindingGroups(count: findings.count)
    groups.join(findings) { finding in
      finding.transaction.map { .transaction(finding.environment, $0) }
    }
    groups.join(findings) { .event($0.environment, $0.position) }
    groups.joinSittings(findings)
    var members: [Int: [FindingAnswer]] = [:]
    var order: [Int] = []
    for (index, finding) in findings.enumerated() {
      let root = groups.root(of: index)
      if members[root] == nil { order.append(root) }
      members[root, default: []].append(finding)
    }
    return order.compactMap { members[$0].map(FindingIncident.init) }
  }
}

/// Which findings belong together: a disjoint-set forest of their indexes.
private struct FindingGroups {
  enum Cause: Hashable {
    case transaction(StoreEnvironment, Name)
    case event(StoreEnvironment, UInt64)
  }

  /// The rule that was broken, and the account and device it was broken for.
  private struct Habit: Hashable {
    var rule: Rule
    var environment: StoreEnvironment
    var account: Name?
    var device: Name?
  }

  private var parents: [Int]

  init(count: Int) { parents = Array(0..<count) }

  mutating func root(of index: Int) -> Int {
    var index = index
    while parents[index] != index {
      parents[index] = parents[parents[index]]
      index = parents[index]
    }
    return index
  }

  private mutating func join(_ left: Int, _ right: Int) {
    let (one, other) = (root(of: left), root(of: right))
    parents[max(one, other)] = min(one, other)
  }

  /// Joins the findings with the same cause. Findings without a cause stay separate.
  mutating func join(_ findings: [FindingAnswer], by cause: (FindingAnswer) -> Cause?) {
    var first: [Cause: Int] = [:]
    for (index, finding) in findings.enumerated() {
      guard let cause = cause(finding) else { continue }
      if let known = first[cause] { join(known, index) } else { first[cause] = index }
    }
  }

  mutating func joinSittings(_ findings: [FindingAnswer]) {
    var indices: [Habit: [Int]] = [:]
    for (index, finding) in findings.enumerated()
    where finding.account != nil || finding.device != nil {
      let habit = Habit(
        rule: finding.rule, environment: finding.environment, account: finding.account,
        device: finding.device)
      indices[habit, default: []].append(index)
    }
    for same in indices.values {
      let byTime = same.sorted { findings[$0].occurredAt < findings[$1].occurredAt }
      for (earlier, later) in zip(byTime, byTime.dropFirst()) {
        let apart =
          findings[later].occurredAt.microseconds - findings[earlier].occurredAt.microseconds
        if apart <= FindingIncident.sittingMax { join(earlier, later) }
      }
    }
  }
}
