import LedgerEvents

/// `purchased-twice` (warning): the first purchase fact of a non-consumable chain is a `purchased`
/// that states an original and is not familyShared, and the customer already holds another standing
/// non-consumable chain of that product. In that chain, too, the transaction of the first purchase
/// fact states its original. Once per chain.
enum PurchasedTwice {
  /// What the rule needs to know about the chain that the customer already holds.
  struct Other: Sendable {
    var product: NameNumber
    var statesOriginal: Bool
    var isHeld: Bool
    var kind: ProductDefinition.Kind
    var isTakenAway: Bool
  }

  static func breaks(product: NameNumber, other: Other) -> Bool {
    other.product == product && other.statesOriginal && other.isHeld
      && other.kind == .nonConsumable && !other.isTakenAway
  }
}
