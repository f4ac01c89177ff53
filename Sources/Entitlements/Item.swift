internal import LedgerEvents
internal import LedgerStore

/// What a program asks for: a product by its id, or an entitlement by its name.
///
/// An entitlement is what products grant by the catalogue, or an operator by hand: ask for it where
/// several products open the same door. A product and an entitlement of one name are two items.
public struct Item: Hashable, Sendable {
  let reference: ItemReference

  /// A product of the store.
  public static func product(_ id: String) -> Item {
    Item(reference: ItemReference(Name(id), isEntitlement: false))
  }

  /// An entitlement that products grant, or operators.
  public static func entitlement(_ name: String) -> Item {
    Item(reference: ItemReference(Name(name), isEntitlement: true))
  }
}

extension Item: CustomStringConvertible {
  public var description: String {
    "\(reference.isEntitlement ? "entitlement" : "product") \(reference.name)"
  }
}
