/// `fulfilled-twice` (critical): `purchase.fulfilled` of a transaction that was fulfilled before,
/// of a chain that is a consumable: the same payment is credited again. Once per event.
///
/// What the chain is bought as is known from its first purchase fact on, which may come later; the
/// finding waits for it.
enum FulfilledTwice {
  static func breaks(kind: ProductDefinition.Kind) -> Bool { kind == .consumable }
}
