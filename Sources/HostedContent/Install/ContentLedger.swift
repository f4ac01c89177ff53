public import LedgerEvents

/// The operations of a ledger that installing needs: appending events, and reading what the ledger
/// has for one owner.
///
/// If your events go elsewhere, for example because an app sends them to its server, provide your
/// own implementation.
public protocol ContentLedger {
  /// Appends events durably, all or none. An event that the ledger already has with the same
  /// content is acknowledged, because the same events are passed again after an interruption.
  func append(_ events: [Event]) throws(ContentError)

  /// Returns the owner's installed versions (`model.md` 17).
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
