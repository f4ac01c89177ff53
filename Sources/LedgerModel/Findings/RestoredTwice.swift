/// `restored-twice` (warning): within one restore, a second transaction with the same stated
/// original is first delivered, in a chain that is not autoRenewable. Once per transaction.
enum RestoredTwice {
  static func breaks(isSecond: Bool, kind: ProductDefinition.Kind) -> Bool {
    isSecond && kind != .autoRenewable
  }
}
