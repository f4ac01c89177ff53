internal import LedgerEvents
internal import LedgerModel

/// A scenario prepared once for many runs: everything that does not change, and a number for every
/// name.
final class Cast: Sendable {
  struct Product: Sendable {
    var name: Name
    var isConsumable: Bool
    var parts: [ScenarioProduct.Download]
    /// The progress of each download between two reports, in thousandths.
    var steps: [Int]
    /// The rank of the version at the start.
    var version: Int16
    /// The number of its first download; the others follow.
    var firstDownload: NameNumber
  }

  let scenario: Scenario
  let policy: AppPolicy
  let products: [Product]
  /// The consumable products, one bit each.
  let consumables: UInt64
  let script: [ScriptedCommand]
  /// All content versions, the lowest first; equal ones share a rank.
  let versions: [Name]
  /// The rank of each version that `publish` names, by its index in the scenario.
  let ranks: [Int16]
  /// The first number for names that a run makes; those of the scenario come before.
  let firstDynamic: NameNumber
  /// Details that the facts of every run share.
  let shared: SharedDetails
  /// Nine digits that distinguish the identifiers of one scenario and seed from those of others.
  let stamp: String
  /// The first eight bytes of every id.
  let idPrefix: UInt64

  /// Identifiers of each sort that one run may use: sessions of a device, payments, transactions.
  static let dynamicCountMax: NameNumber = 8_192

  init(_ scenario: Scenario, policy: AppPolicy, seed: UInt64) {
    let published = scenario.publishedVersions
    self.scenario = scenario
    self.policy = policy
    script = scenario.script
    let all = scenario.products.map(\.contentVersion) + published
    var sorted: [Name] = []
    for version in all.sorted(by: { VersionOrder.compare($0, $1) < 0 })
    where sorted.last.map({ VersionOrder.compare($0, version) != 0 }) ?? true {
      sorted.append(version)
    }
    func rank(_ version: Name) -> Int16 {
      Int16(sorted.firstIndex { VersionOrder.compare($0, version) == 0 } ?? 0)
    }
    versions = sorted
    ranks = published.map(rank)
    let firstProduct = NameNumber(2 + scenario.accounts.count + scenario.devices.count)
    var number =
      firstProduct + NameNumber(scenario.products.count + scenario.invalidProducts.count)
    var products: [Product] = []
    for product in scenario.products {
      products.append(
        Product(
          name: product.name, isConsumable: product.kind == .consumable,
          parts: product.downloads,
          steps: product.downloads.map { Delays.thousandthsPerReport(of: $0.length) },
          version: rank(product.contentVersion), firstDownload: number))
      number += NameNumber(product.downloads.count)
    }
    self.products = products
    consumables = products.indices.reduce(0) { bits, index in
      products[index].isConsumable ? bits | 1 << UInt64(index) : bits
    }
    firstDynamic = number
    shared = SharedDetails(
      catalog: Self.catalog(scenario, firstProduct), products: products, versions: versions)
    stamp = Self.stamp(scenario.title, seed)
    idPrefix = Self.idPrefix(stamp)
  }

  private static func catalog(
    _ scenario: Scenario, _ firstProduct: NameNumber
  ) -> [ProductDefinition] {
    scenario.products.enumerated().map { index, product in
      ProductDefinition(
        product: firstProduct + NameNumber(index),
        kind: product.kind == .consumable ? .consumable : .nonConsumable,
        entitlements: product.entitlements,
        grants: product.grants.map { .init(unit: $0.unit, amount: $0.amount) }, duration: nil)
    }
  }

  private static func stamp(_ title: String, _ seed: UInt64) -> String {
    var fingerprint = Fingerprint()
    for byte in title.utf8 { fingerprint.feed(byte) }
    fingerprint.feed(seed)
    var digits = String(fingerprint.value % 1_000_000_000)
    while digits.utf8.count < 9 { digits = "0" + digits }
    return digits
  }
}

extension Cast {
  // Numbers: the app is 1; accounts, devices, products, invalid products and downloads follow;
  // then sessions, payments and transactions, of which a run makes as many as it needs.

  func number(account: Int16) -> NameNumber { account.isAbsent ? 0 : 2 + NameNumber(account) }

  func number(device: Int16) -> NameNumber {
    device.isAbsent ? 0 : 2 + NameNumber(scenario.accounts.count) + NameNumber(device)
  }

  func number(product: Int16) -> NameNumber {
    product.isAbsent
      ? 0
      : 2 + NameNumber(scenario.accounts.count + scenario.devices.count) + NameNumber(product)
  }

  func number(product: Int16, part: Int16) -> NameNumber {
    part.isAbsent ? 0 : products[Int(product)].firstDownload + NameNumber(part)
  }

  func number(session: Int16, of device: Int16) -> NameNumber {
    device.isAbsent
      ? 0 : firstDynamic + NameNumber(device) * Self.dynamicCountMax + NameNumber(session)
  }

  private var firstPayment: NameNumber {
    firstDynamic + NameNumber(scenario.devices.count) * Self.dynamicCountMax
  }

  func number(payment: Int32) -> NameNumber {
    payment.isAbsent ? 0 : firstPayment + NameNumber(payment)
  }

  func number(transaction: Int32) -> NameNumber {
    transaction.isAbsent ? 0 : firstPayment + Self.dynamicCountMax + NameNumber(transaction)
  }

  func name(session: Int16, of device: Int16) -> Name {
    Name("\(scenario.devices[Int(device)].name)-\(stamp)-launch-\(session)")
  }

  func name(payment: Int32) -> Name { Name("payment-\(stamp)-\(payment + 1)") }

  func name(transaction: Int32) -> Name {
    let digits = String(100_001 + Int(transaction))
    return Name("2\(stamp)\(digits.dropFirst())")
  }

  /// The product at an index; those that the store does not know follow the others.
  func name(product: Int16) -> Name {
    let index = Int(product)
    return index < products.count
      ? products[index].name : scenario.invalidProducts[index - products.count]
  }

  func id(ofPosition position: UInt64) -> Name { Self.id(stamp, ofPosition: position) }

  private static func id(_ stamp: String, ofPosition position: UInt64) -> Name {
    let digits = String(100_000 + position)
    return Name("sim-\(stamp)-\(digits.dropFirst())")
  }

  /// The first eight bytes of an id, which all of them have in common.
  private static func idPrefix(_ stamp: String) -> UInt64 {
    var prefix: UInt64 = 0
    for byte in id(stamp, ofPosition: 1).text.utf8.prefix(8) { prefix = prefix << 8 | UInt64(byte) }
    return prefix
  }
}

extension Cast: FactTexts {
  func text(of number: NameNumber) -> Name {
    var rest = Int(number) - 1
    if rest == 0 { return scenario.app }
    rest -= 1
    if rest < scenario.accounts.count { return scenario.accounts[max(rest, 0)] }
    rest -= scenario.accounts.count
    if rest < scenario.devices.count { return scenario.devices[rest].name }
    rest -= scenario.devices.count
    if rest < scenario.products.count + scenario.invalidProducts.count {
      return name(product: Int16(rest))
    }
    if number < firstDynamic { return download(number) }
    return dynamicText(Int(number - firstDynamic))
  }

  private func download(_ number: NameNumber) -> Name {
    for product in products where number >= product.firstDownload {
      let part = Int(number - product.firstDownload)
      if part < product.parts.count { return product.parts[part].name }
    }
    return ""
  }

  private func dynamicText(_ index: Int) -> Name {
    let size = Int(Self.dynamicCountMax)
    let (sort, rest) = index.quotientAndRemainder(dividingBy: size)
    if sort < scenario.devices.count {
      return name(session: Int16(rest), of: Int16(sort))
    }
    return sort == scenario.devices.count
      ? name(payment: Int32(rest)) : name(transaction: Int32(rest))
  }
}
