public import LedgerEvents
public import LedgerModel
public import LedgerStore

/// The answer to "may this account have that item?".
///
/// The four cases mean different things. *No* is a fact. *Unknown account* may be a typing mistake
/// or a customer that the ledger does not know yet. *Unavailable* says nothing about the customer,
/// so your program has to decide what to do (most let the customer in).
public enum Verdict: Hashable, Sendable {
  /// The item is active or in its grace period.
  case yes(Detail)
  /// The account is known and may not have the item now.
  case no(Detail)
  /// No event of the ledger states the account, up to the moment of the question.
  case unknownAccount(position: UInt64)
  /// The ledger could not answer.
  case unavailable(Unavailability)

  /// Whether the answer is *yes*.
  public var isYes: Bool {
    if case .yes = self { return true }
    return false
  }

  /// The detail of *yes* and *no*.
  public var detail: Detail? {
    switch self {
    case .yes(let detail), .no(let detail): detail
    case .unknownAccount, .unavailable: nil
    }
  }
}

extension Verdict {
  /// What a *yes* or *no* is based on: the best of everything that grants the item.
  public struct Detail: Hashable, Sendable {
    /// The state of the item; `nil` if the account never had it.
    public var state: EntitlementState?
    /// When the state began.
    public var since: Instant?
    /// When the entitlement ends; `nil` if it has no end.
    public var expiresAt: Instant?
    /// The next moment at which something in this detail changes because time passes; `nil` for
    /// never. A program may cache the answer until then, if it can do without newer events.
    public var nextChangeAt: Instant?
    /// The environment in which it was bought; `nil` without a state.
    public var environment: StoreEnvironment?
    /// Whether a purchase or an operator grants it; `nil` without a state.
    public var source: EntitlementEntry.Source?
    /// The position of the ledger at which this is true.
    public var position: UInt64
  }

  /// Why the ledger could not answer.
  public struct Unavailability: Hashable, Sendable {
    /// The kind of the failure: `rebuildNeeded`, `io`, `corrupt`, `busy`, `closed`.
    public var code: LedgerError.Code
    /// What happened, and what to do.
    public var message: String
  }
}

extension Verdict {
  init(_ answer: ItemAnswer) {
    let standing = answer.standing
    if standing == nil && !answer.isStated {
      self = .unknownAccount(position: answer.position)
      return
    }
    let end = standing?.end ?? .max
    let detail = Detail(
      state: standing?.state, since: standing.map { Instant(microseconds: $0.since) },
      expiresAt: end == .max ? nil : Instant(microseconds: end),
      nextChangeAt: answer.nextChange.map { Instant(microseconds: $0) },
      environment: standing?.environment, source: standing?.source, position: answer.position)
    self = standing?.state.entitles == true ? .yes(detail) : .no(detail)
  }

  init(_ error: LedgerError) {
    self = .unavailable(Unavailability(code: error.code, message: error.message))
  }
}
