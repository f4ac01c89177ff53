package import LedgerEvents

/// What a customer has of one product, or of an entitlement that an operator granted, in one
/// environment.
package struct GrantedItem: Hashable, Sendable {
  /// The product; 0 if an operator granted an entitlement.
  package var product: NameNumber
  /// The entitlement that an operator granted; `nil` if the item is a product.
  package var entitlement: Name?
  /// The names of the product's entitlements, by the catalogue at the moment.
  package var entitlements: [Name] = []
  package var state: EntitlementState
  /// When the state began, in microseconds.
  package var since: Int64
  /// When it ends, in microseconds; `.max` if it has no end.
  package var end: Int64
  package var source: EntitlementEntry.Source

  var rank: GrantorRank { GrantorRank(state: state, end: end) }
}

/// What a customer has from one moment until another: products in the order of their numbers, then
/// operators' entitlements in the order of their names.
package struct GrantSegment: Hashable, Sendable {
  /// When the segment begins, in microseconds.
  package var from: Int64
  /// When the next segment begins; `nil` if this is the last one.
  package var nextChange: Int64?
  package var items: [GrantedItem]
}

/// The items of one moment: of several grantors of a product, the best one. Of equal ones, it is
/// the one that comes first.
struct BestItems {
  private var items: [GrantedItem] = []
  private var orders: [Int] = []
  private var indices: [NameNumber: Int] = [:]

  /// - Parameter order: Where the grantor stands among all grantors of the customer.
  mutating func add(_ item: GrantedItem, order: Int) {
    // Operators grant each entitlement once.
    guard item.product != 0, let known = indices[item.product] else {
      if item.product != 0 { indices[item.product] = items.count }
      items.append(item)
      orders.append(order)
      return
    }
    let isBetter =
      item.rank < items[known].rank
      || (!(items[known].rank < item.rank) && order < orders[known])
    if isBetter {
      items[known] = item
      orders[known] = order
    }
  }

  /// The items with their entitlements, in the order of a segment.
  func sorted(
    at moment: Int64, in environment: StoreEnvironment, _ foldContext: FoldContext
  ) -> [GrantedItem] {
    let catalogue = foldContext.shared.catalogue
    var sorted = items
    for index in sorted.indices where sorted[index].product != 0 {
      sorted[index].entitlements =
        catalogue.definitionInForce(of: sorted[index].product, in: environment, at: moment)?
        .entitlements ?? []
    }
    sorted.sort { left, right in
      if left.product != right.product {
        return right.product == 0 || (left.product != 0 && left.product < right.product)
      }
      return left.entitlement ?? "" < right.entitlement ?? ""
    }
    return sorted
  }
}
