public import LedgerEvents
internal import StoreImport

/// A released version of a product's hosted content.
public struct ContentRelease: Hashable, Sendable {
  public var product: Name
  public var version: Name
  public var environment: StoreEnvironment
  /// The bundle identifier; `nil` if unknown.
  public var app: Name?
  /// The content's size in bytes; `nil` if no package is at hand.
  public var bytes: UInt64?
  /// The content's digest, as `content inspect` prints it.
  public var digest: String?

  public init(
    product: Name, version: Name, environment: StoreEnvironment = .production, app: Name? = nil,
    bytes: UInt64? = nil, digest: String? = nil
  ) {
    self.product = product
    self.version = version
    self.environment = environment
    self.app = app
    self.bytes = bytes
    self.digest = digest
  }

  /// The `content.versionPublished` event. Its id depends on the release alone, so a release that
  /// is already published can be found by it.
  ///
  /// - Parameter time: When it is released.
  public func event(at time: Instant) -> Event {
    var data = EventData.Builder()
    data.set("contentVersion", version)
    if let bytes { data.set("contentLengths", .array([.number("\(bytes)")])) }
    data.set("digest", digest)
    let parts = [environment.text, app?.text, product.text, version.text, digest]
    let id = Name("published:" + Digest.hex(parts.map { $0 ?? "" }))
    return Event(
      id: id, type: EventType(.contentVersionPublished), occurredAt: time,
      source: EventSource(.operator), environment: environment, app: app, product: product,
      data: data.build())
  }
}
