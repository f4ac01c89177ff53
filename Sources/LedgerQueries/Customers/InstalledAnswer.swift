public import LedgerEvents
internal import LedgerModel
public import LedgerStore

/// A version that a customer has installed on a device.
public struct InstalledAnswer: Sendable {
  public var environment: StoreEnvironment
  /// `nil` for the absent device.
  public var device: Name?
  public var product: Name
  public var contentVersion: Name
  public var path: Name?
  public var installedAt: Instant
  /// The version on offer, if there is one.
  public var available: Name?
  /// Whether the version on offer is higher than the installed one.
  public var updateAvailable: Bool
}

extension LedgerView {
  /// What a customer has installed, by device and product.
  ///
  /// - Parameters:
  ///   - customer: Whose content.
  ///   - products: Only these; `nil` for all.
  ///   - environments: The environments, each answered separately.
  ///   - clocks: Which events are known, and at which moment.
  /// - Complexity: O(*n*) in the customer's unit and in the units that observed the products. Their
  ///   events are folded if the clocks ask about the past.
  /// - Throws: ``LedgerError``.
  public func installed(
    of customer: CustomerReference, products: Set<Name>? = nil,
    environments: [StoreEnvironment] = [.production], clocks: Clocks = .now
  ) throws(LedgerError) -> [InstalledAnswer] {
    guard let inquiry = try inquire(customer, clocks) else { return [] }
    var offers = Offers()
    var contents = inquiry.unit.installed(
      inquiry.subject, environments: EnvironmentSet(environments))
    if let products {
      let numbers = try numbers(of: .product, products)
      contents.removeAll { !numbers.contains($0.product) }
    }
    // Include the customer's own unit: what its events named then counts, even if it no longer
    // does.
    if !clocks.reachAll { offers.asked = inquiry.named.unitNumber }
    try offers.find(contents, in: self, clocks)
    var answers: [InstalledAnswer] = []
    for content in contents {
      answers.append(try answer(content, try offers.version(of: content, in: self, clocks)))
    }
    return answers.sorted {
      ($0.environment.rawValue, $0.device ?? "", $0.product)
        < ($1.environment.rawValue, $1.device ?? "", $1.product)
    }
  }

  /// Passes every device that is behind the version on offer to `body`, with the customer's
  /// accounts.
  ///
  /// - Complexity: O(*n*) in the ledger's units.
  /// - Throws: ``LedgerError``, and what `body` throws.
  public func outdated(
    environments: [StoreEnvironment] = [.production], clocks: Clocks = .now,
    _ body: (_ account: Name, InstalledAnswer) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    var offers = Offers()
    let set = EnvironmentSet(environments)
    let past = try pastLedger(at: clocks)
    offers.ledger = past
    try eachUnit(of: past) { (unit) throws(LedgerError) in
      try outdated(unit, set, clocks, &offers, body)
    }
  }

  private func outdated(
    _ unit: Unit, _ environments: EnvironmentSet, _ clocks: Clocks, _ offers: inout Offers,
    _ body: (_ account: Name, InstalledAnswer) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> Bool {
    let unit = unit.indexedByHolder()
    for account in unit.knownAccounts {
      let contents = unit.installed(.account(account), environments: environments)
      try offers.find(contents, in: self, clocks)
      for content in contents {
        let answer = try answer(content, try offers.version(of: content, in: self, clocks))
        if answer.updateAvailable, try !body(try text(of: account), answer) { return false }
      }
    }
    return true
  }

  func answer(
    _ content: InstalledContent, _ available: Name?
  ) throws(LedgerError) -> InstalledAnswer {
    InstalledAnswer(
      environment: content.environment, device: try text(content.device),
      product: try text(of: content.product), contentVersion: content.version,
      path: try path(of: content), installedAt: Instant(microseconds: content.installedAt),
      available: available,
      updateAvailable: available.map { VersionOrder.compare($0, content.version) > 0 } ?? false)
  }

  /// The path that the install stated. It is personal, so the folded state does not contain it.
  private func path(of content: InstalledContent) throws(LedgerError) -> Name? {
    try event(at: content.position).event.data.string("path").map { Name($0) }
  }
}

/// The versions on offer, each found once per question.
struct Offers {
  /// The whole ledger at the clocks, if it has been folded anyway.
  var ledger: InMemoryLedger?
  /// The unit that the question is about.
  var asked: UInt32?
  private var known: [Unit.ObservedProduct: Name?] = [:]

  /// Finds the versions for several installs at once, so that each unit that observed some of the
  /// products is read once and not for each of them.
  mutating func find(
    _ contents: [InstalledContent], in view: LedgerView, _ clocks: Clocks
  ) throws(LedgerError) {
    if ledger != nil { return }
    let products = Set(contents.map(Self.observed)).filter { known[$0] == nil }
    if products.isEmpty { return }
    let found = try view.versionsOnOffer(
      ofEach: products, clocks, along: asked.map { [$0] } ?? [])
    for product in products { known[product] = .some(found[product]) }
  }

  private static func observed(_ content: InstalledContent) -> Unit.ObservedProduct {
    Unit.ObservedProduct(environment: content.environment, product: content.product)
  }

  mutating func version(
    of content: InstalledContent, in view: LedgerView, _ clocks: Clocks
  ) throws(LedgerError) -> Name? {
    let observed = Self.observed(content)
    if let version = known[observed] { return version }
    let version =
      if let ledger {
        ledger.versionOnOffer(of: observed.product, in: observed.environment)
      } else {
        try view.versionsOnOffer(
          ofEach: [observed], clocks, along: asked.map { [$0] } ?? [])[observed]
      }
    known[observed] = version
    return version
  }
}
