/// `fulfilled-twice` (critical): `purchase.fulfilled` of a transaction that was already fulfilled,
/// in a chain of a consumable. The same payment is credited again. Once per event.
///
/// Only the chain's first purchase fact says what was bought, and it may come later. The finding
/// waits for it.
enum FulfilledTwice {
  static func breaks(kind: ProductDefinition.Kind) -> Bool { kind == .consumable }
}
