public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// The context of an explanation: whether the names are known, on which devices the content is
/// installed, and which rules were broken.
public struct Circumstances: Sendable {
  /// A device of the customer, and the content of a product that is installed on it.
  public struct Device: Sendable {
    /// The device; `nil` for events that state no device.
    public var name: Name?
    public var product: Name
    /// The installed version; `nil` if there is none.
    public var installed: InstalledAnswer?
  }

  /// Whether an event states the account.
  public var isAccountKnown: Bool
  /// An account that was probably meant; `nil` if the account is known or no account is similar.
  public var nearAccount: Name?
  /// Whether the ledger knows the name as a product, an entitlement or a unit of a balance.
  public var isNameKnown: Bool
  /// A product or entitlement that was probably meant; `nil` if the name is known or none is
  /// similar.
  public var nearName: Name?
  /// The products that the name refers to and that have content to install.
  public var productsWithContent: [Name]
  /// The customer's devices, for each product with content.
  public var devices: [Device]
  /// The findings about the customer and these products.
  public var findings: [FindingAnswer]
  /// The transactions of these products that are still in the queue.
  public var openTransactions: [Name]
}

extension LedgerView {
  /// Returns the context of an explanation of a product or an entitlement.
  ///
  /// - Complexity: O(*n*) in the customer's unit; O(*n*) in the ledger's names and events if a name
  ///   is unknown.
  /// - Throws: ``LedgerError``.
  public func circumstances(
    of explanation: Explanation, clocks: Clocks = .now
  ) throws(LedgerError) -> Circumstances {
    let (account, name) = (explanation.account, explanation.name)
    var found = Circumstances(
      isAccountKnown: explanation.ground != .unknownAccount, isNameKnown: true,
      productsWithContent: [], devices: [], findings: [], openTransactions: [])
    if !found.isAccountKnown { found.nearAccount = try nearestName(to: account, of: .account) }
    let known = try knownNames(explanation, clocks)
    if !known.contains(name), try number(of: .product, name) == nil {
      found.isNameKnown = false
      found.nearName = try near(name, known)
      return found
    }
    guard found.isAccountKnown else { return found }
    let products = try products(openedBy: name, explanation, clocks)
    let entries = try transactions(
      of: .account(account), environments: explanation.environments, clocks: clocks
    ).entries.filter { $0.product.map(products.contains) ?? false }
    found.openTransactions = entries.filter(\.isOnQueue).compactMap { $0.transaction ?? $0.payment }
    try addDevices(of: products, entries, explanation, clocks, to: &found)
    var query = FindingsQuery()
    query.account = account
    query.environments = explanation.environments
    query.clocks = clocks
    let own = Set(entries.compactMap(\.transaction))
    let numbers = try numbers(of: .product, products)
    found.findings = try findings(query, about: numbers).filter { finding in
      finding.product.map(products.contains) ?? finding.transaction.map(own.contains) ?? false
    }
    return found
  }

  /// Returns the products, entitlements and units in the catalogue and in operators' grants.
  private func knownNames(
    _ explanation: Explanation, _ clocks: Clocks
  ) throws(LedgerError) -> Set<Name> {
    var names = Set(
      explanation.holdings.flatMap { [$0.product, $0.entitlement].compactMap { $0 } })
    names.formUnion(
      try catalogueEntries(explanation, clocks).flatMap { entry in
        [entry.product] + entry.entitlements + entry.grants.map(\.unit)
      })
    if names.contains(explanation.name) { return names }
    try events(ofKinds: [.entitlementGranted]) { recorded, _ in
      if let granted = recorded.event.data.name("entitlement") { names.insert(granted) }
      return true
    }
    return names
  }

  private func catalogueEntries(
    _ explanation: Explanation, _ clocks: Clocks
  ) throws(LedgerError) -> [CatalogueAnswer] {
    var entries: [CatalogueAnswer] = []
    for environment in explanation.environments {
      entries += try catalogue(in: environment, clocks: clocks, now: explanation.at)
    }
    return entries
  }

  private func near(_ name: Name, _ known: Set<Name>) throws(LedgerError) -> Name? {
    if let found = Spelling.nearestIdentifier(to: name.text, among: known.map(\.text).sorted()) {
      return Name(found)
    }
    return try nearestName(to: name, of: .product)
  }

  /// Returns the products that the customer holds under the name. If there are none, returns the
  /// product with that name and those that open the entitlement with that name.
  private func products(
    openedBy name: Name, _ explanation: Explanation, _ clocks: Clocks
  ) throws(LedgerError) -> Set<Name> {
    let held = Set(explanation.holdings.compactMap(\.product))
    guard held.isEmpty else { return held }
    var products: Set<Name> = [name]
    for entry in try catalogueEntries(explanation, clocks) where entry.entitlements.contains(name) {
      products.insert(entry.product)
    }
    return products
  }

  /// Returns the devices that the account's events up to then state, in order.
  private func devices(
    of explanation: Explanation, _ clocks: Clocks
  ) throws(LedgerError) -> [Name] {
    guard let account = try number(of: .account, explanation.account) else { return [] }
    // What is left out names the same devices.
    let facts = try facts(
      connectedWith: explanation.account, at: clocks,
      entitlementsAt: explanation.at.microseconds)
    var numbers = Set(facts.lazy.filter { $0.account == account }.map(\.device))
    numbers.remove(0)
    var devices: [Name] = []
    for number in numbers { devices.append(try text(of: number)) }
    return devices.sorted()
  }

  private func addDevices(
    of products: Set<Name>, _ entries: [TransactionsAnswer.Entry], _ explanation: Explanation,
    _ clocks: Clocks, to found: inout Circumstances
  ) throws(LedgerError) {
    let installed = try installed(
      of: .account(explanation.account), products: products,
      environments: explanation.environments, clocks: clocks)
    var withContent = Set(installed.map(\.product))
    for entry in entries where !entry.downloads.isEmpty {
      if let product = entry.product { withContent.insert(product) }
    }
    // Of the past, this folds all units that observed the products.
    for environment in explanation.environments where !products.isSubset(of: withContent) {
      let offers = try versionsOnOffer(
        of: Array(products.subtracting(withContent)), in: environment, clocks: clocks)
      withContent.formUnion(offers.keys)
    }
    found.productsWithContent = withContent.sorted()
    if found.productsWithContent.isEmpty { return }
    let devices = try devices(of: explanation, clocks)
    let byProduct = Dictionary(grouping: installed, by: \.product)
    for product in found.productsWithContent {
      let there = byProduct[product] ?? []
      found.devices += there.map { .init(name: $0.device, product: product, installed: $0) }
      let having = Set(there.map(\.device))
      for device in devices where !having.contains(device) {
        found.devices.append(.init(name: device, product: product, installed: nil))
      }
    }
  }
}
