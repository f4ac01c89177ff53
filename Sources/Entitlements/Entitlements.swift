public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// Looks up what customers may use, in a ledger that this process or another one appends to.
///
/// An answer includes every event that was acknowledged before the question, also by another
/// process. An instance keeps no copy of the ledger, so there is nothing to refresh or invalidate.
/// Create one per ledger and share it. You can use it from any task and any thread.
///
/// A question reads memory-mapped pages and does not suspend. Most take about a microsecond. If the
/// account has events that are not folded yet, the time grows with the number of its events.
public final class Entitlements: Sendable {
  /// The environments in which purchases count, unless a question names others.
  public let environments: Set<StoreEnvironment>

  private let ledger: Ledger
  private let lookup: AnswerLookup
  private let defaultEnvironments: EnvironmentSet
  private let clock: @Sendable () -> Instant

  /// Opens the ledger in the folder `path` for reading, while other processes may write to it.
  ///
  /// A process may open a ledger only once. If this process already has it open to append to it,
  /// use ``init(ledger:environments:clock:)``.
  ///
  /// - Parameters:
  ///   - path: The ledger's folder.
  ///   - environments: The environments in which purchases count; see
  ///     <doc:EnvironmentsAndReviewers>.
  ///   - clock: Returns the present time; for tests.
  /// - Complexity: O(1).
  /// - Throws: `LedgerError`: `noLedger`, `unknownFormat`, `busy` if this process already has the
  ///   ledger open, `readOnly` if it may not write the file in which readers register, `corrupt`,
  ///   `io`.
  public convenience init(
    path: String, environments: Set<StoreEnvironment> = [.production],
    clock: @escaping @Sendable () -> Instant = EventLog.systemClock
  ) throws(LedgerError) {
    let ledger = try Ledger(at: path, access: .readOnly)
    self.init(ledger: ledger, environments: environments, clock: clock)
  }

  /// Creates lookups for a ledger that this process already has open.
  ///
  /// - Parameters:
  ///   - ledger: The ledger, open for appending or for reading.
  ///   - environments: The environments in which purchases count; see
  ///     <doc:EnvironmentsAndReviewers>.
  ///   - clock: Returns the present time; for tests.
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

  /// Returns whether an account may have an item.
  ///
  /// Without `at`, everything that the ledger knows counts. It is judged at the present moment, or
  /// at the customer's newest event if that is later. So a purchase from a phone whose clock is
  /// three minutes fast counts at once. With `at`, only what occurred up to that moment counts.
  ///
  /// This method never throws. A failure is returned as ``Verdict/unavailable(_:)``.
  ///
  /// - Parameters:
  ///   - account: The account's id, as the events state it.
  ///   - item: A product or an entitlement.
  ///   - moment: The store time (valid time) for which to answer.
  ///   - environments: The environments in which purchases count for this question; `nil` for
  ///     ``environments``.
  /// - Complexity: One lookup of the stored answer, without allocation. For the past, and if newer
  ///   events of the account are not folded yet, O(*n*) in the account's events.
  public func isEntitled(
    _ account: String, to item: Item, at moment: Instant? = nil,
    environments: Set<StoreEnvironment>? = nil
  ) -> Verdict {
    let question = question(account, item, moment, environments)
    do throws(LedgerError) { return Verdict(try lookup.answer(question)) } catch {
      return Verdict(error)
    }
  }

  /// Returns what ``isEntitled(_:to:at:environments:)`` would for the present, if that takes one
  /// lookup and waits for nobody; `nil` if it takes more, or fails.
  ///
  /// - Parameters:
  ///   - account: The account's id, as the events state it.
  ///   - item: A product or an entitlement.
  ///   - environments: The environments in which purchases count for this question.
  /// - Complexity: One lookup of the stored answer, without allocation; while events are not folded
  ///   yet, reading a few of them.
  package func storedVerdict(
    _ account: String, to item: Item, environments: Set<StoreEnvironment>
  ) -> Verdict? {
    lookup.storedAnswer(question(account, item, nil, environments)).map { Verdict($0) }
  }

  private func question(
    _ account: String, _ item: Item, _ moment: Instant?, _ environments: Set<StoreEnvironment>?
  ) -> ItemQuestion {
    ItemQuestion(
      account: Name(account), item: item.reference,
      environments: environments.map { EnvironmentSet($0) } ?? defaultEnvironments, at: moment,
      now: clock())
  }

  /// Releases the ledger's files until the next question, so that the ledger can be closed.
  public func release() { lookup.release() }
}

// MARK: - More than yes and no

extension Entitlements {
  /// Returns everything that a customer has, with balances and the time of the next change.
  ///
  /// - Parameters:
  ///   - customer: An account, or the holder of a transaction or an original transaction.
  ///   - moment: The store time for which to answer. Without it, everything counts, judged now.
  ///   - environments: The environments in which purchases count for this question; `nil` for
  ///     ``environments``.
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

  /// Returns what is left of a customer's consumables, by unit.
  ///
  /// Units with a balance of zero are not listed. An amount can be negative after a refund.
  ///
  /// - Parameters:
  ///   - customer: An account, or the holder of a transaction or an original transaction.
  ///   - moment: The store time for which to answer. Without it, everything counts, judged now.
  ///   - environments: The environments in which purchases count for this question; `nil` for
  ///     ``environments``.
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

  /// Returns the content that a customer has installed, by device and product, with the version on
  /// offer.
  ///
  /// - Parameters:
  ///   - customer: An account, or the holder of a transaction or an original transaction.
  ///   - moment: The store time for which to answer. Without it, everything counts.
  ///   - environments: The environments in which purchases count for this question; `nil` for
  ///     ``environments``.
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

  /// Returns the position of the newest event, which the next answer will include.
  ///
  /// - Complexity: O(1).
  /// - Throws: `LedgerError`: `io`, `closed`.
  public func position() throws(LedgerError) -> UInt64 { try ledger.log.lastPosition() }

  /// Suspends until the ledger has a position, for example one that another process reported after
  /// an append.
  ///
  /// You do not need this for events that have been acknowledged, because questions include them
  /// immediately. Use it to wait for an event that is still being processed, such as a notification
  /// that a webhook is appending. An append of this process ends the wait immediately. An append of
  /// another process is seen within 5 ms.
  ///
  /// - Returns: True once the ledger has the position; `false` after the timeout, or if the task
  ///   was cancelled.
  /// - Throws: `LedgerError`: `io`, `closed`.
  public func wait(
    until position: UInt64, timeout: Duration = .seconds(30)
  ) async throws(LedgerError) -> Bool {
    guard position > 0 else { return true }
    return try await ledger.log.lastPosition(beyond: position - 1, timeout: timeout) >= position
  }
}
