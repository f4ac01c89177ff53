/// `undelivered` (critical): a chain entitles and has hosted content, and a transaction of it was
/// finished or removed, but no customer whom the chain grants to has a `content.installed` of the
/// product, on any device. Once per chain.
enum Undelivered {
  /// A cheap test that rules out nearly every chain: while none of its transactions has ended, the
  /// content can still be delivered.
  static func canHold(_ chain: ChainState) -> Bool {
    chain.hasHostedContent && chain.endedPosition != 0
  }

  /// Whether the rule holds for a chain that passed `canHold`.
  static func holds(standing: Standing?, isInstalledByHolder: Bool) -> Bool {
    guard let standing, standing.state.entitles else { return false }
    return !isInstalledByHolder
  }
}
