public import LedgerEvents
package import LedgerModel
package import LedgerStore

/// The difference between two answers about one customer.
public struct AnswerDifference: Sendable {
  /// An entry that differs; `nil` on the side where the answer has none.
  public struct Entry: Sendable {
    public var before: EntitlementsAnswer.Entry?
    public var after: EntitlementsAnswer.Entry?
  }

  /// The balance of a unit, 0 on the side where the answer lists none.
  public struct Balance: Sendable {
    public var unit: Name
    public var before: Int64
    public var after: Int64
  }

  /// The first of the customer's linked ids.
  public var account: Name
  public var environment: StoreEnvironment
  /// Names that become active, and names that no longer are.
  public var gained: [Name]
  public var lost: [Name]
  public var entries: [Entry]
  public var balances: [Balance]
}

extension AnswerDifference {
  /// Compares what a customer has in one environment before and after; `nil` if nothing differs.
  ///
  /// - Complexity: O(*n* · *m*) in the entries of both sides.
  package init?(
    _ account: Name, _ environment: StoreEnvironment,
    entries: (before: [EntitlementsAnswer.Entry], after: [EntitlementsAnswer.Entry]),
    balances: (before: [Name: Int64], after: [Name: Int64])
  ) {
    let (before, after) = entries
    let changes = Self.changes(from: before, to: after)
    let amounts = Set(balances.before.keys).union(balances.after.keys).sorted().compactMap {
      (unit) -> Balance? in
      let (was, now) = (balances.before[unit] ?? 0, balances.after[unit] ?? 0)
      return was == now ? nil : Balance(unit: unit, before: was, after: now)
    }
    if changes.isEmpty && amounts.isEmpty { return nil }
    let (active, later) = (Self.active(before), Self.active(after))
    self.init(
      account: account, environment: environment, gained: later.subtracting(active).sorted(),
      lost: active.subtracting(later).sorted(), entries: changes, balances: amounts)
  }

  private static func changes(
    from before: [EntitlementsAnswer.Entry], to after: [EntitlementsAnswer.Entry]
  ) -> [Entry] {
    var changes: [Entry] = []
    for entry in before {
      let later = after.first { $0.isOfTheSame(as: entry) }
      if later != entry { changes.append(Entry(before: entry, after: later)) }
    }
    for entry in after where !before.contains(where: entry.isOfTheSame) {
      changes.append(Entry(before: nil, after: entry))
    }
    return changes
  }

  /// What may be used: products, what they open, what operators granted.
  private static func active(_ entries: [EntitlementsAnswer.Entry]) -> Set<Name> {
    var names: Set<Name> = []
    for entry in entries where entry.state.entitles {
      names.formUnion([entry.product, entry.entitlement].compactMap { $0 })
      names.formUnion(entry.entitlements)
    }
    return names
  }
}

extension EntitlementsAnswer.Entry {
  fileprivate func isOfTheSame(as other: Self) -> Bool {
    product == other.product && entitlement == other.entitlement
  }
}

extension LedgerView {
  /// The difference between two answers about one customer; `nil` if there is none.
  ///
  /// - Complexity: O(*n*) in the entries of both answers if there is no difference. Names are
  ///   looked up only if there is one.
  package func difference(
    _ before: Answer, _ after: Answer, of account: NameNumber, _ environment: StoreEnvironment
  ) throws(LedgerError) -> AnswerDifference? {
    if before.entries == after.entries && before.balances == after.balances { return nil }
    return AnswerDifference(
      try text(of: account), environment,
      entries: (try entries(before), try entries(after)),
      balances: (before.balances.amounts, after.balances.amounts))
  }
}

extension [Balance] {
  fileprivate var amounts: [Name: Int64] {
    Dictionary(map { ($0.unit, $0.amount) }, uniquingKeysWith: { first, _ in first })
  }
}
