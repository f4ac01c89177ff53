public import LedgerEvents
public import LedgerModel
public import LedgerStore

/// The answer to "may this account have that item?".
///
/// The four cases are told apart on purpose: *no* is a fact, *unknown account* may be a typing
/// error or a customer who has not been heard of yet, and *unavailable* says nothing about the
/// customer, so that a program decides by itself what to do then (most let the customer in).
public enum Verdict: Hashable, Sendable {
  /// The item is active or in its grace period.
  case yes(Detail)
  /// The account is known and may not have the item now.
  case no(Detail)
  /// No event of the ledger states the account (up to the moment asked for).
  case unknownAccount(position: UInt64)
  /// The ledger could not be asked.
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
  /// What a *yes* or *no* rests on: the best of what grants the item.
  public struct Detail: Hashable, Sendable {
    /// `nil` where the account never had the item.
    public var state: EntitlementState?
    /// From when the state holds.
    public var since: Instant?
    /// `nil` where it has no end.
    public var expiresAt: Instant?
    /// The next moment at which something in this detail changes by time alone; until then a
    /// program may keep the answer, as far as it need not hear of new events. `nil` for never.
    public var nextChangeAt: Instant?
    /// Where it was bought; `nil` without a state.
    public var environment: StoreEnvironment?
    /// Whether a store's purchase or an operator grants it; `nil` without a state.
    public var source: EntitlementEntry.Source?
    /// The position of the ledger that this is true at.
    public var position: UInt64
  }

  /// Why the ledger could not be asked.
  public struct Unavailability: Hashable, Sendable {
    /// The kind of the failure: `rebuildNeeded`, `io`, `corrupt`, `busy`, `closed`.
    public var code: LedgerError.Code
    /// What happened and what to do.
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
