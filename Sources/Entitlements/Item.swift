internal import LedgerEvents
internal import LedgerStore

/// What a program asks about: a product by its id, or an entitlement by its name.
///
/// Products grant entitlements through the catalogue, and operators grant them by hand. Ask for an
/// entitlement if several products open the same feature. A product and an entitlement with the
/// same name are two different items.
public struct Item: Hashable, Sendable {
  let reference: ItemReference

  /// Returns the item for a product of the store.
  public static func product(_ id: String) -> Item {
    Item(reference: ItemReference(Name(id), isEntitlement: false))
  }

  /// Returns the item for an entitlement that products or operators grant.
  public static func entitlement(_ name: String) -> Item {
    Item(reference: ItemReference(Name(name), isEntitlement: true))
  }
}

extension Item: CustomStringConvertible {
  public var description: String {
    "\(reference.isEntitlement ? "entitlement" : "product") \(reference.name)"
  }
}
