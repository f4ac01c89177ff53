public import LedgerModel

/// What a run broke: a rule of the findings, or a promise to the customer.
public enum Breach: Hashable, Sendable {
  case rule(Rule)
  case promise(Promise)

  /// The rule's or the promise's id.
  public var id: String {
    switch self {
    case .rule(let rule): rule.id
    case .promise(let promise): promise.id
    }
  }

  /// The rule or the promise with that id; `nil` if there is none.
  public init?(id: String) {
    if let rule = Rule.allCases.first(where: { $0.id == id }) {
      self = .rule(rule)
    } else if let promise = Promise(rawValue: id) {
      self = .promise(promise)
    } else {
      return nil
    }
  }

  /// Rules that are judged at an event come first, then rules that are judged at the end, then
  /// promises.
  var rank: Int {
    switch self {
    case .rule(let rule): rule.isJudgedAtAMoment ? 1 : 0
    case .promise: 2
    }
  }

  /// A broken promise is critical: the customer paid and received nothing, or received it twice.
  public var severity: Rule.Severity {
    switch self {
    case .rule(let rule): rule.severity
    case .promise: .critical
    }
  }
}
