/// `undelivered` (critical): a chain that entitles, with hosted content, a transaction of it
/// finished or removed, and no `content.installed` of the product, on any device, by a customer
/// whom the chain grants to. Once per chain.
enum Undelivered {
  static func holds(
    _ chain: ChainState, standing: Standing?, isInstalledByHolder: Bool
  ) -> Bool {
    guard let standing, standing.state.entitles else { return false }
    return chain.hasHostedContent && chain.endedPosition != 0 && !isInstalledByHolder
  }
}
