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

  /// A broken promise is critical: the customer has paid and has it not, or has it twice.
  public var severity: Rule.Severity {
    switch self {
    case .rule(let rule): rule.severity
    case .promise: .critical
    }
  }
}
