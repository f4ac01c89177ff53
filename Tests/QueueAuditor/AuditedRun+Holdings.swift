public import LedgerEvents

/// What one account has, by what the store sold to it and took back.
public struct Holdings: Hashable, Sendable {
  /// The products that are not consumables.
  public var products: Set<Name> = []
  /// The balances by unit, without zeros.
  public var balances: [Name: Int64] = [:]

  public init() {}
}

extension AuditedRun {
  /// Returns what every account has, by the purchases that the queue or the store's server
  /// reported. It is computed from sales and refunds alone, independently of the model.
  public func holdings() -> [Name: Holdings] {
    let tape = Tape(self)
    var holdings: [Name: Holdings] = [:]
    var counted: Set<Name> = []
    for line in tape.lines
    where line.kind == .transactionPurchased || line.kind == .transactionRestored {
      guard let transaction = line.event.transaction, let product = line.event.product,
        counted.insert(transaction).inserted, let account = tape.payer(of: line)
      else { continue }
      let original = line.event.originalTransaction ?? transaction
      let isRefunded = tape.lines.contains {
        $0.kind == .transactionRefunded
          && ($0.event.transaction == original || $0.event.transaction == transaction)
      }
      if isRefunded { continue }
      guard tape.kind(of: product) == "consumable" else {
        holdings[account, default: Holdings()].products.insert(product)
        continue
      }
      let quantity = line.event.data.integer("quantity") ?? 1
      for (unit, amount) in tape.grants(of: product) {
        holdings[account, default: Holdings()].balances[Name(unit), default: 0] +=
          amount * quantity
      }
    }
    return holdings
  }
}

extension Tape {
  /// Returns the first account that was named as the customer of a line's transaction.
  fileprivate func payer(of line: Line) -> Name? {
    lines.first { $0.about == line.about && $0.event.account != nil }?.event.account
  }

  fileprivate func grants(of product: Name?) -> [(String, Int64)] {
    for line in lines where line.kind == .catalogSet {
      for entry in line.event.data.array("products") ?? []
      where entry["product"]?.string == product?.text {
        return (entry["grants"]?.object ?? []).map { ($0.name, $0.value.integer ?? 0) }
      }
    }
    return []
  }
}
