/// `original-shared` (warning): at the first purchase fact of a transaction, its customer differs
/// from the customer of another transaction of the chain with an earlier purchase fact. Both
/// customers are known, and neither fact is a family member's copy. Once per chain.
enum OriginalShared {
  static func breaks(holder: Holder, others: some Sequence<Holder>) -> Bool {
    holder != .nobody && others.contains { $0 != .nobody && $0 != holder }
  }
}
