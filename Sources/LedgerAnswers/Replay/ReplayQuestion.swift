package import LedgerEvents
package import LedgerQueries

/// Which part of a ledger is replayed, as it was asked for.
package struct ReplayQuestion: Sendable {
  package var account: Name?
  package var transaction: Name?
  /// The digits of an item's Apple ID, whose product pages are replayed.
  package var storeItem: String?
  /// Positions, both included; `nil` for the beginning and the end.
  package var from: UInt64?
  package var to: UInt64?

  package init() {}

  /// Whether nothing is named.
  package var isEmpty: Bool {
    account == nil && transaction == nil && storeItem == nil && from == nil && to == nil
  }

  /// The title under which the part is shown.
  package var title: String {
    var words: [String] = []
    if let account { words.append("account \(account.text)") }
    if let transaction { words.append("transaction \(transaction.text)") }
    if let storeItem { words.append("pages of item \(storeItem)") }
    if from != nil || to != nil {
      words.append("positions \(from.map { "\($0)" } ?? "1") to \(to.map { "\($0)" } ?? "the end")")
    }
    return words.joined(separator: ", ")
  }

  package var slice: ReplaySlice {
    var slice = ReplaySlice()
    slice.account = account
    slice.transaction = transaction
    slice.storeItem = storeItem
    if let from { slice.from = from }
    if let to { slice.to = to }
    return slice
  }
}
