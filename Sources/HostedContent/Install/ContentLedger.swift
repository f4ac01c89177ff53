public import LedgerEvents

/// What installing needs from a ledger: where events go, and what the ledger says about one owner.
///
/// If your events go elsewhere, for example because an app sends them to its server, provide your
/// own implementation.
public protocol ContentLedger {
  /// Appends events durably, as a whole. An event that the ledger already has with the same content
  /// is acknowledged, because after an interruption the same events are passed again.
  func append(_ events: [Event]) throws(ContentError)

  /// Returns what the ledger says the owner has installed (`model.md` 17).
  func installed(of owner: ContentOwner) throws(ContentError) -> [LedgerInstall]

  /// Returns the `content.*` events of the owner's account on the owner's device, in the fold
  /// order.
  func contentEvents(of owner: ContentOwner) throws(ContentError) -> [Event]
}

/// An installed version, as the ledger has it.
public struct LedgerInstall: Hashable, Sendable {
  public var product: Name
  public var version: Name
  public var path: Name?

  public init(product: Name, version: Name, path: Name?) {
    self.product = product
    self.version = version
    self.path = path
  }
}
