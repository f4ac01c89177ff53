/// `undelivered` (critical): a chain that entitles, with hosted content, a transaction of it
/// finished or removed, and no `content.installed` of the product, on any device, by a customer
/// whom the chain grants to. Once per chain.
enum Undelivered {
  /// What costs nothing to ask, and rules out nearly every chain: content can still come of one
  /// that nobody finished.
  static func canHold(_ chain: ChainState) -> Bool {
    chain.hasHostedContent && chain.endedPosition != 0
  }

  /// Whether it holds of a chain of which it can.
  static func holds(standing: Standing?, isInstalledByHolder: Bool) -> Bool {
    guard let standing, standing.state.entitles else { return false }
    return !isInstalledByHolder
  }
}
