import LedgerEvents

/// `purchased-twice` (warning): the first purchase fact of a non-consumable chain is a `purchased`
/// with a stated original and not familyShared, while the customer holds another standing
/// non-consumable chain of that product whose original the transaction of its first purchase fact
/// states too. Once per chain.
enum PurchasedTwice {
  /// What the rule asks of the chain that the customer holds already.
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
