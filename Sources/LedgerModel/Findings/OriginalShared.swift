/// `original-shared` (warning): at the first purchase fact of a transaction its customer is not
/// that of another transaction of the chain with an earlier purchase fact, both known, and neither
/// fact is a family member's copy. Once per chain.
enum OriginalShared {
  static func breaks(holder: Holder, others: some Sequence<Holder>) -> Bool {
    holder != .nobody && others.contains { $0 != .nobody && $0 != holder }
  }
}
