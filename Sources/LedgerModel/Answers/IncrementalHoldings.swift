package import LedgerEvents

/// What a customer has in one environment, or what a chain grants that nobody holds: the best
/// grantor of each product, and the balances.
///
/// It gives what `Unit.answer(_:environments:at:context:texts:)` gives, from parts that are set one
/// by one, so that a change costs what the changed part costs. `replay` shows each of a customer's
/// events with what it changed.
package struct IncrementalHoldings {
  /// What grants a product: the best comes first, by state and then by the later end.
  private struct Grantor: Comparable {
    var granted: ChainPart.Granted
    var chain: Int

    static func < (left: Self, right: Self) -> Bool {
      left.granted.rank < right.granted.rank
    }
  }

  private struct Product {
    /// Some have been replaced since.
    var grantors = Heap<Grantor>()
    var report: ReportPart?
    /// Of an operator's grant.
    var grantedUntil: Int64?
  }

  private var products: [NameNumber: Product] = [:]
  private var granted: [Int: ChainPart.Granted] = [:]
  private var entitlements: [Name: Int64] = [:]
  private var grantedProducts: [NameNumber] = []
  private var balances: [Name: BalanceSum] = [:]
  private var creditedUnits: [Int: [Name]] = [:]
  private var consumedUnits: [Name] = []

  package init() {}

  /// What a chain grants now; returns the products that may stand differently.
  package mutating func set(_ now: ChainPart.Granted?, of chain: Int) -> [NameNumber] {
    let before = granted[chain]
    if before == now { return [] }
    granted[chain] = now
    if let now {
      products[now.product, default: Product()].grantors
        .insert(Grantor(granted: now, chain: chain))
    }
    return [before, now].compactMap { $0?.product }
  }

  /// What the queue said of a product; returns whether that is the newest.
  package mutating func note(_ report: ReportPart) -> Bool {
    let known = products[report.product]?.report
    if let known, known.ordinal > report.ordinal { return false }
    products[report.product, default: Product()].report = report
    return known?.isDeferred ?? false != report.isDeferred
  }

  /// What operators have granted until after a moment; returns the products, and the names of
  /// entitlements, that may stand differently.
  package mutating func set(
    _ grants: [GrantPart], at moment: Int64
  ) -> (products: [NameNumber], entitlements: [Name]) {
    let before = (products: grantedProducts, entitlements: Array(entitlements.keys))
    for product in grantedProducts { products[product]?.grantedUntil = nil }
    grantedProducts = []
    entitlements = [:]
    for grant in grants where grant.until > moment {
      if let entitlement = grant.entitlement {
        entitlements[entitlement] = grant.until
      } else {
        products[grant.product, default: Product()].grantedUntil = grant.until
        grantedProducts.append(grant.product)
      }
    }
    return (
      before.products + grantedProducts, before.entitlements + Array(entitlements.keys)
    )
  }

  /// When an operator's grant of an entitlement ends; `nil` where there is none.
  package func end(ofEntitlement name: Name) -> Int64? { entitlements[name] }

  /// The best of what grants a product; `nil` where nothing does.
  ///
  /// - Complexity: O(log *n*) amortized, in what granted it so far.
  package mutating func best(of product: NameNumber) -> ChainPart.Granted? {
    // In place: a copy of the heap would cost all of it.
    while let first = products[product]?.grantors.first, granted[first.chain] != first.granted {
      products[product]?.grantors.removeFirst()
    }
    guard let known = products[product] else { return nil }
    var best = known.grantors.first?.granted
    func add(_ other: ChainPart.Granted) {
      if let found = best, found.rank <= other.rank { return }
      best = other
    }
    if known.report?.isDeferred ?? false {
      add(ChainPart.Granted(product: product, state: .pending, end: .max))
    }
    if let until = known.grantedUntil {
      add(ChainPart.Granted(product: product, state: .active, end: until))
    }
    return best
  }

  /// What a chain credits now; returns the units that may stand differently.
  package mutating func set(credits: [Balance], of chain: Int) -> [Name] {
    let before = creditedUnits[chain] ?? []
    if before.isEmpty && credits.isEmpty { return [] }
    var amounts: [Name: [Int64]] = [:]
    for credit in credits { amounts[credit.unit, default: []].append(credit.amount) }
    for unit in before where amounts[unit] == nil {
      balances[unit]?.set([], of: chain)
    }
    for (unit, amounts) in amounts {
      balances[unit, default: BalanceSum()].set(amounts, of: chain)
    }
    creditedUnits[chain] = amounts.isEmpty ? nil : Array(amounts.keys)
    return before + Array(amounts.keys)
  }

  /// What the customer has consumed; returns the units that may stand differently.
  package mutating func set(consumed: [Balance]) -> [Name] {
    let before = consumedUnits
    for unit in before { balances[unit]?.consumed = 0 }
    consumedUnits = consumed.map(\.unit)
    for spent in consumed { balances[spent.unit, default: BalanceSum()].consumed = spent.amount }
    return before + consumedUnits
  }

  /// What is left of a unit.
  package func balance(of unit: Name) -> Int64 { balances[unit]?.amount ?? 0 }
}

/// The sum of what chains credit of one unit, less what was consumed, as a number of 64 bits that
/// stops at its ends.
private struct BalanceSum {
  var consumed: Int64 = 0
  /// By the place of the chain, in whose order they are added up.
  private var credits: [Int: [Int64]] = [:]
  private var gained: Int128 = 0
  private var lost: Int128 = 0

  mutating func set(_ amounts: [Int64], of chain: Int) {
    for amount in credits[chain] ?? [] { add(amount, times: -1) }
    for amount in amounts { add(amount, times: 1) }
    credits[chain] = amounts.isEmpty ? nil : amounts
  }

  private mutating func add(_ amount: Int64, times sign: Int128) {
    if amount < 0 { lost -= sign * Int128(amount) } else { gained += sign * Int128(amount) }
  }

  /// - Complexity: O(1), but for amounts at the ends of 64 bits: then O(*n* log *n*) in the chains.
  var amount: Int64 {
    let most = Int128(Int64.max)
    let credited =
      gained <= most && lost <= most
      ? gained - lost
      : credits.sorted { $0.key < $1.key }.flatMap(\.value).reduce(Int128(0)) {
        Self.clamped($0 + Int128($1))
      }
    return Int64(Self.clamped(credited - Int128(consumed)))
  }

  private static func clamped(_ amount: Int128) -> Int128 {
    min(max(amount, Int128(Int64.min)), Int128(Int64.max))
  }
}
