public import LedgerEvents

/// The ledger as installing needs it: where events go, and what it says of one owner.
///
/// Content is installed for a ledger, and not by one: whoever has events go elsewhere, such as an
/// app that sends them to its server, gives its own.
public protocol ContentLedger {
  /// Appends events durably, as a whole. An event that is there already with the same content is
  /// acknowledged; after an interruption the same events are handed over again.
  func append(_ events: [Event]) throws(ContentError)

  /// What the ledger says the owner has installed (`model.md` 17).
  func installed(of owner: ContentOwner) throws(ContentError) -> [LedgerInstall]

  /// The events `content.*` of the owner's account on the owner's device, in the fold's order.
  func contentEvents(of owner: ContentOwner) throws(ContentError) -> [Event]
}

/// An installed version as the ledger has it.
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
