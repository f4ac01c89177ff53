public import LedgerEvents
internal import StoreImport

/// A version of a product's hosted content that is released.
public struct ContentRelease: Hashable, Sendable {
  public var product: Name
  public var version: Name
  public var environment: StoreEnvironment
  /// The bundle identifier; `nil` where nobody says it.
  public var app: Name?
  /// Bytes of the content; `nil` where there is no package at hand.
  public var bytes: UInt64?
  /// Of the content, as `content inspect` writes it.
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

  /// The `content.versionPublished`. Its id is of the release alone, so that one that is published
  /// already is found by it.
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
