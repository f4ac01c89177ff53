public import LedgerEvents
internal import LedgerModel
public import LedgerStore

/// Looks up what customers may have, in a ledger that this process or another one appends to.
///
/// Every question is answered with the newest that was acknowledged, also by another process. It
/// keeps no copy of the ledger, so there is nothing to refresh or to invalidate. Make one for a
/// ledger and share it: it is safe from any task and any thread.
///
/// A question reads memory-mapped pages and does not suspend: most take under a microsecond; one
/// about an account with events that are not folded yet takes as long as its events are many.
public final class Entitlements: Sendable {
  /// Where purchases count, unless a question says otherwise.
  public let environments: Set<StoreEnvironment>

  private let ledger: Ledger
  private let lookup: AnswerLookup
  private let defaultEnvironments: EnvironmentSet
  private let clock: @Sendable () -> Instant

  /// Opens the ledger in the folder `path` to read it, whoever else writes it.
  ///
  /// A process that has the ledger open already, to append to it, uses
  /// ``init(ledger:environments:clock:)``: one process opens a ledger once.
  ///
  /// - Parameters:
  ///   - path: The ledger's folder.
  ///   - environments: Where purchases count; see <doc:EnvironmentsAndReviewers>.
  ///   - clock: What tells the present; for tests.
  /// - Complexity: O(1).
  /// - Throws: `LedgerError`: `noLedger`, `unknownFormat`, `busy` where this process
  ///   has the ledger open, `readOnly` without the right to write the file of readers, `corrupt`,
  ///   `io`.
  public convenience init(
    path: String, environments: Set<StoreEnvironment> = [.production],
    clock: @escaping @Sendable () -> Instant = EventLog.systemClock
  ) throws(LedgerError) {
    let ledger = try Ledger(at: path, access: .readOnly)
    self.init(ledger: ledger, environments: environments, clock: clock)
  }

  /// Looks up in a ledger that this process has open.
  ///
  /// - Parameters:
  ///   - ledger: The ledger, open to append or to read.
  ///   - environments: Where purchases count; see <doc:EnvironmentsAndReviewers>.
  ///   - clock: What tells the present; for tests.
  public init(
    ledger: Ledger, environments: Set<StoreEnvironment> = [.production],
    clock: @escaping @Sendable () -> Instant = EventLog.systemClock
  ) {
    self.ledger = ledger
    self.environments = environments
    self.clock = clock
    lookup = AnswerLookup(ledger)
    defaultEnvironments = EnvironmentSet(environments)
  }

  /// Says whether an account may have an item.
  ///
  /// Without `at` everything that the ledger knows counts, and it is judged now, or at the
  /// customer's newest event where that is later: what a phone three minutes fast has bought can
  /// be asked for at once. With `at` only what occurred up to then counts.
  ///
  /// Never throws: what fails comes back as ``Verdict/unavailable(_:)``.
  ///
  /// - Parameters:
  ///   - account: The account's id, as the events state it.
  ///   - item: A product or an entitlement.
  ///   - moment: The store time asked for.
  ///   - environments: Where purchases count for this question; `nil` for ``environments``.
  /// - Complexity: one look-up of the stored answer, without allocation; for the past, and where
  ///   newer events of the account are not folded yet, O(*n*) in the account's events.
  public func isEntitled(
    _ account: String, to item: Item, at moment: Instant? = nil,
    environments: Set<StoreEnvironment>? = nil
  ) -> Verdict {
    let question = ItemQuestion(
      account: Name(account), item: item.reference,
      environments: environments.map { EnvironmentSet($0) } ?? defaultEnvironments, at: moment,
      now: clock())
    do throws(LedgerError) { return Verdict(try lookup.answer(question)) } catch {
      return Verdict(error)
    }
  }

  /// Lets go of the ledger's files until the next question, so that the ledger can be closed.
  public func release() { lookup.release() }
}

// MARK: - More than yes and no

extension Entitlements {
  /// Everything that a customer has, with balances and when it changes next.
  ///
  /// - Parameters:
  ///   - customer: An account, or whoever holds a transaction or an original one.
  ///   - moment: The store time asked for; without it everything counts, judged now.
  ///   - environments: Where purchases count for this question; `nil` for ``environments``.
  /// - Complexity: O(*n*) in the customer's transactions; for the past, in the customer's events.
  /// - Throws: `LedgerError`: `rebuildNeeded`, `corrupt`, `io`, `closed`.
  public func entitlements(
    of customer: CustomerReference, at moment: Instant? = nil,
    environments: Set<StoreEnvironment>? = nil
  ) throws(LedgerError) -> EntitlementsAnswer {
    let now = clock()
    let wanted = (environments ?? self.environments).sorted()
    return try ledger.read { (view) throws(LedgerError) in
      try view.entitlements(
        of: customer, environments: wanted, clocks: Clocks(at: moment), now: now)
    }
  }

  /// What is left of a customer's consumables, by unit; units of which nothing is left are not
  /// listed, and an amount may be negative after a refund.
  ///
  /// - Parameters:
  ///   - customer: An account, or whoever holds a transaction or an original one.
  ///   - moment: The store time asked for; without it everything counts, judged now.
  ///   - environments: Where purchases count for this question; `nil` for ``environments``.
  /// - Complexity: O(*n*) in the customer's transactions.
  /// - Throws: `LedgerError`: `rebuildNeeded`, `corrupt`, `io`, `closed`.
  public func balances(
    of customer: CustomerReference, at moment: Instant? = nil,
    environments: Set<StoreEnvironment>? = nil
  ) throws(LedgerError) -> [Name: Int64] {
    let answer = try entitlements(of: customer, at: moment, environments: environments)
    return Dictionary(
      answer.balances.map { ($0.unit, $0.amount) }, uniquingKeysWith: { first, _ in first })
  }

  /// The content that a customer has installed, by device and product, with the version on offer.
  ///
  /// - Parameters:
  ///   - customer: An account, or whoever holds a transaction or an original one.
  ///   - moment: The store time asked for; without it everything counts.
  ///   - environments: Where purchases count for this question; `nil` for ``environments``.
  /// - Complexity: O(*n*) in the customer's events and in the units that observed the products.
  /// - Throws: `LedgerError`: `rebuildNeeded`, `corrupt`, `io`, `closed`.
  public func installed(
    of customer: CustomerReference, at moment: Instant? = nil,
    environments: Set<StoreEnvironment>? = nil
  ) throws(LedgerError) -> [InstalledAnswer] {
    let wanted = (environments ?? self.environments).sorted()
    return try ledger.read { (view) throws(LedgerError) in
      try view.installed(of: customer, environments: wanted, clocks: Clocks(at: moment))
    }
  }

  /// The position of the newest event, which the next answer takes in.
  ///
  /// - Complexity: O(1).
  /// - Throws: `LedgerError`: `io`, `closed`.
  public func position() throws(LedgerError) -> UInt64 { try ledger.log.lastPosition() }

  /// Suspends until the ledger holds a position, as an append in another process told it.
  ///
  /// What is acknowledged can be asked for at once; wait for what is still on its way, a
  /// notification that a webhook appends for example. Appends of this process wake at once, those
  /// of others are seen within 5 ms.
  ///
  /// - Returns: Whether the position is there; false when the time was up, or the task cancelled.
  /// - Throws: `LedgerError`: `io`, `closed`.
  public func wait(
    until position: UInt64, timeout: Duration = .seconds(30)
  ) async throws(LedgerError) -> Bool {
    guard position > 0 else { return true }
    return try await ledger.log.lastPosition(beyond: position - 1, timeout: timeout) >= position
  }
}

extension EnvironmentSet {
  init(_ environments: Set<StoreEnvironment>) {
    self = []
    for environment in environments { insert(environment) }
  }
}
