public import LedgerEvents
internal import LedgerModel

/// What is not the same in two answers of one customer.
public struct AnswerDifference: Sendable {
  /// An entry of the answer that is not the same before and after; `nil` where there is none.
  public struct Entry: Sendable {
    public var before: EntitlementsAnswer.Entry?
    public var after: EntitlementsAnswer.Entry?
  }

  /// An amount of a unit, 0 where the answer lists none.
  public struct Balance: Sendable {
    public var unit: Name
    public var before: Int64
    public var after: Int64
  }

  /// The first of the customer's linked ids.
  public var account: Name
  public var environment: StoreEnvironment
  /// Names that would become active, and names that would no longer be.
  public var gained: [Name]
  public var lost: [Name]
  public var entries: [Entry]
  public var balances: [Balance]
}

extension LedgerView {
  /// What is not the same in two answers of one customer; nil where nothing is.
  func difference(
    _ before: Answer, _ after: Answer, of account: NameNumber, _ environment: StoreEnvironment
  ) throws(LedgerError) -> AnswerDifference? {
    var entries: [AnswerDifference.Entry] = []
    for entry in before.entries {
      let later = after.entries.first { $0.isOfTheSame(as: entry) }
      if later == entry { continue }
      entries.append(
        AnswerDifference.Entry(
          before: try self.entry(entry),
          after: try later.map { (later) throws(LedgerError) in try self.entry(later) }))
    }
    for entry in after.entries where !before.entries.contains(where: entry.isOfTheSame) {
      entries.append(AnswerDifference.Entry(before: nil, after: try self.entry(entry)))
    }
    var balances: [AnswerDifference.Balance] = []
    for unit in Set((before.balances + after.balances).map(\.unit)).sorted() {
      let amounts = [before, after].map { answer in
        answer.balances.first { $0.unit == unit }?.amount ?? 0
      }
      if amounts[0] != amounts[1] {
        balances.append(
          AnswerDifference.Balance(unit: unit, before: amounts[0], after: amounts[1]))
      }
    }
    guard !entries.isEmpty || !balances.isEmpty else { return nil }
    return AnswerDifference(
      account: try text(of: account), environment: environment,
      gained: after.active.filter { !before.active.contains($0) },
      lost: before.active.filter { !after.active.contains($0) },
      entries: entries, balances: balances)
  }
}

extension EntitlementEntry {
  fileprivate func isOfTheSame(as other: EntitlementEntry) -> Bool {
    product == other.product && entitlement == other.entitlement
  }
}
