package import LedgerEvents

/// What a customer has in one environment, or what a chain that nobody holds grants: the best
/// grantor of each product, and the balances.
///
/// The result equals that of `Unit.answer(_:environments:at:context:texts:)`, but the parts are set
/// one at a time, so a change costs only what the changed part costs. `replay` uses this to show
/// what each event changed for a customer.
package struct IncrementalHoldings {
  /// A chain that grants a product. The best one sorts first: by state, then by the later end.
  private struct Grantor: Comparable {
    var granted: ChainPart.Granted
    var chain: Int

    static func < (left: Self, right: Self) -> Bool {
      left.granted.rank < right.granted.rank
    }
  }

  private struct Product {
    /// May contain grantors that have since been replaced.
    var grantors = Heap<Grantor>()
    var report: ReportPart?
    /// When the operator's grant ends; `nil` if there is none.
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

  /// Sets what a chain grants now. Returns the products whose standing may have changed.
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

  /// Notes what the queue reported about a product. Returns whether the product has become deferred
  /// or is no longer deferred.
  package mutating func note(_ report: ReportPart) -> Bool {
    let known = products[report.product]?.report
    if let known, known.ordinal > report.ordinal { return false }
    products[report.product, default: Product()].report = report
    return known?.isDeferred ?? false != report.isDeferred
  }

  /// Sets the operators' grants that last beyond a moment. Returns the products, and the names of
  /// the entitlements, whose standing may have changed.
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

  /// When an operator's grant of an entitlement ends; `nil` if there is none.
  package func end(ofEntitlement name: Name) -> Int64? { entitlements[name] }

  /// The best grantor of a product; `nil` if it has none.
  ///
  /// - Complexity: O(log *n*) amortized, in the number of its grantors so far.
  package mutating func best(of product: NameNumber) -> ChainPart.Granted? {
    // The heap is changed in place, because a copy would cost O(*n*).
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

  /// Sets what a chain credits now. Returns the units whose balance may have changed.
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

  /// Sets what the customer has consumed. Returns the units whose balance may have changed.
  package mutating func set(consumed: [Balance]) -> [Name] {
    let before = consumedUnits
    for unit in before { balances[unit]?.consumed = 0 }
    consumedUnits = consumed.map(\.unit)
    for spent in consumed { balances[spent.unit, default: BalanceSum()].consumed = spent.amount }
    return before + consumedUnits
  }

  /// The balance of a unit.
  package func balance(of unit: Name) -> Int64 { balances[unit]?.amount ?? 0 }
}

/// The sum of what chains credit of one unit, minus what was consumed, saturated at the limits of
/// 64 bits.
private struct BalanceSum {
  var consumed: Int64 = 0
  /// By the index of the chain. The amounts are added up in the order of the indices.
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

  /// - Complexity: O(1), except for sums beyond 64 bits: then O(*n* log *n*) in the chains.
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
