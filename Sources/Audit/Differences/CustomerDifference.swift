public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// What changed for one customer between two moments of the ledger.
public struct CustomerDifference: Sendable {
  /// A version that differs; `nil` on the side where none is installed.
  public struct Installed: Hashable, Sendable {
    /// `nil` for the absent device.
    public var device: Name?
    public var product: Name
    public var before: Name?
    public var after: Name?
  }

  /// A version of a product's content on a device.
  struct Version: Hashable {
    /// `nil` for the absent device.
    var device: Name?
    var product: Name
    var version: Name
  }

  /// The first of the customer's linked ids.
  public var account: Name
  public var environment: StoreEnvironment
  /// `nil` if entitlements and balances are the same.
  public var answer: AnswerDifference?
  public var installed: [Installed]
}

extension CustomerDifference.Installed {
  /// The changes between two lists of versions, by device and product.
  static func changes(
    from before: [CustomerDifference.Version], to after: [CustomerDifference.Version]
  ) -> [Self] {
    var changes: [Self] = []
    for content in before + after {
      let version = { (contents: [CustomerDifference.Version]) in
        contents.first { $0.device == content.device && $0.product == content.product }?.version
      }
      let change = Self(
        device: content.device, product: content.product, before: version(before),
        after: version(after))
      if change.before != change.after, !changes.contains(change) { changes.append(change) }
    }
    return changes
  }
}

extension LedgerView {
  /// Passes what changed for each customer between two moments of the ledger to `body`. Stops when
  /// `body` returns false.
  ///
  /// Each side is what the ledger answered then. It is folded from the events that the ledger had,
  /// and judged at the time of that moment or at the customer's newest event, whichever is later.
  /// With `at`, both sides are judged at that time, so only what the ledger learned counts and not
  /// the passing of time.
  ///
  /// - Parameters:
  ///   - from: The earlier moment.
  ///   - to: The later moment.
  ///   - account: The account of one customer; `nil` for all customers.
  ///   - environments: The environments, each compared separately.
  ///   - at: The store time for both sides.
  ///   - body: Receives each customer for whom something changed.
  /// - Complexity: O(*n* log *n*) in the events of the customer's unit, or of all units, one at a
  ///   time.
  /// - Throws: ``LedgerError``, and what `body` throws.
  public func differences(
    from: Clocks.LedgerTime, to: Clocks.LedgerTime, account: Name? = nil,
    environments: [StoreEnvironment] = [.production], at: Instant? = nil,
    _ body: (CustomerDifference) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    try differences(
      from: Clocks(at: at, asOf: from), to: Clocks(at: at, asOf: to), account: account,
      environments: environments, body)
  }

  /// Passes what differs between two settings of the clocks for each customer to `body`. Stops when
  /// `body` returns false.
  ///
  /// Two store times at one ledger time show what changed in between, as the ledger knew it then.
  /// Two ledger times at one store time show what the ledger learned. A side without a store time
  /// is judged at the time of its moment or at the customer's newest event, whichever is later.
  ///
  /// - Parameters:
  ///   - from: The clocks of the first side.
  ///   - to: The clocks of the second side.
  ///   - account: The account of one customer; `nil` for all customers.
  ///   - environments: The environments, each compared separately.
  ///   - body: Receives each customer for whom something differs.
  /// - Complexity: O(*n* log *n*) in the events of the customer's unit, or of all units, one at a
  ///   time.
  /// - Throws: ``LedgerError``, and what `body` throws.
  public func differences(
    from: Clocks, to: Clocks, account: Name? = nil,
    environments: [StoreEnvironment] = [.production],
    _ body: (CustomerDifference) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    let sides = (try side(from), try side(to))
    let known = Clocks(
      at: from.at.flatMap { from in to.at.map { max(from, $0) } },
      asOf: .position(max(sides.0.end, sides.1.end)))
    guard let account else {
      let context = try context(at: known)
      return try eachFormerUnit(at: known, context) { (facts) throws(LedgerError) in
        try compare(facts, sides, environments, body: body)
      }
    }
    guard let number = try number(of: .account, account), let unit = try unitNumber(of: number)
    else { return }
    let facts = try facts(of: unit, at: known)
    _ = try compare(facts, sides, environments, of: number, body: body)
  }

  /// One side of the comparison.
  private struct Side {
    var clocks: Clocks
    /// The last position that it knows.
    var end: UInt64
    /// In microseconds.
    var moment: Int64
    var isMomentFixed: Bool
    var context: SharedContext
  }

  private func side(_ asked: Clocks) throws(LedgerError) -> Side {
    let end = try lastPosition(asked)
    let clocks = Clocks(at: asked.at, asOf: .position(end))
    let moment: Int64
    if let at = asked.at {
      moment = at.microseconds
    } else if case .instant(let instant)? = asked.asOf {
      moment = instant.microseconds
    } else {
      moment = end == 0 ? .min : try log.record(at: end).recordedAt.microseconds
    }
    return Side(
      clocks: clocks, end: end, moment: moment, isMomentFixed: asked.at != nil,
      context: try context(at: clocks))
  }

  /// Compares the customers of a unit.
  ///
  /// - Parameter facts: Those that either side knows.
  private func compare(
    _ facts: [Fact], _ sides: (Side, Side), _ environments: [StoreEnvironment],
    of account: NameNumber? = nil, body: (CustomerDifference) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> Bool {
    var before = UnitSet.fold(
      connected: try cut(facts, sides.0.clocks), context: sides.0.context, texts: texts)
    var after = UnitSet.fold(
      connected: try cut(facts, sides.1.clocks), context: sides.1.context, texts: texts)
    var accounts: [NameNumber]
    if let account {
      accounts = [account]
    } else {
      accounts = before.knownAccounts
      let known = Set(accounts)
      accounts += after.knownAccounts.filter { !known.contains($0) }
      (before, after) = (before.indexedByHolder(), after.indexedByHolder())
    }
    for environment in environments {
      let set = EnvironmentSet(environment)
      var seen: Set<NameNumber> = []
      for account in accounts where !seen.contains(account) {
        // Linked ids are one customer, but before the link they were two.
        let linked = after.linkedAccounts(of: account, environments: set)
        if linked == before.linkedAccounts(of: account, environments: set) {
          seen.formUnion(linked)
        }
        let subject = Subject.account(account)
        let difference = CustomerDifference(
          account: try text(of: account), environment: environment,
          answer: try self.difference(
            answer(before, subject, set, sides.0), answer(after, subject, set, sides.1),
            of: account, environment),
          installed: try installed(before, after, subject, set))
        try texts.check()
        guard difference.answer != nil || !difference.installed.isEmpty else { continue }
        if try !body(difference) { return false }
      }
    }
    return true
  }

  private func answer(
    _ unit: Unit, _ subject: Subject, _ environments: EnvironmentSet, _ side: Side
  ) -> Answer {
    var moment = side.moment
    if !side.isMomentFixed {
      moment = max(moment, unit.newestEvent(of: subject, environments: environments) ?? .min)
    }
    return unit.answer(
      subject, environments: environments, at: moment, context: side.context, texts: texts)
  }

  private func installed(
    _ before: Unit, _ after: Unit, _ subject: Subject, _ environments: EnvironmentSet
  ) throws(LedgerError) -> [CustomerDifference.Installed] {
    let was = before.installed(subject, environments: environments)
    let now = after.installed(subject, environments: environments)
    return CustomerDifference.Installed.changes(
      from: try versions(of: was), to: try versions(of: now))
  }

  private func versions(
    of contents: [InstalledContent]
  ) throws(LedgerError) -> [CustomerDifference.Version] {
    var versions: [CustomerDifference.Version] = []
    for content in contents {
      versions.append(
        CustomerDifference.Version(
          device: try text(content.device), product: try text(of: content.product),
          version: content.version))
    }
    return versions
  }
}
