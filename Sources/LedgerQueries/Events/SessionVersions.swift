public import LedgerEvents
internal import LedgerModel
public import LedgerStore

/// Which app and system version each launch of a device ran, and in which storefront, according to
/// the newest `session.started` of its device and session in fold order (`commands.md`, *events*).
public struct SessionVersions: Sendable {
  /// What a session states about itself.
  public struct Versions: Hashable, Sendable {
    public var app: String?
    public var system: String?
    /// The storefront that the device was in.
    public var storefront: String?
  }

  private struct Session: Hashable {
    var device: Name?
    var session: Name?
  }

  private var known: [Session: (versions: Versions, foldKey: EventFoldKey)] = [:]

  /// What the event's session states; empty if no session of its device was started.
  public func versions(of event: Event) -> Versions {
    known[Session(device: event.device, session: event.session)]?.versions ?? Versions()
  }

  mutating func add(_ event: Event, _ foldKey: EventFoldKey) {
    let session = Session(device: event.device, session: event.session)
    if let last = known[session]?.foldKey, foldKey < last { return }
    let versions = Versions(
      app: event.data.string("appVersion"), system: event.data.string("systemVersion"),
      storefront: event.data.string("storefront"))
    known[session] = (versions, foldKey)
  }
}

extension LedgerView {
  /// The versions of every session that has started, at the clocks.
  ///
  /// - Complexity: O(*n*) in the headers of the ledger's events; only `session.started` events are
  ///   decoded.
  /// - Throws: ``LedgerError``.
  public func sessionVersions(clocks: Clocks = .now) throws(LedgerError) -> SessionVersions {
    try sessionVersions(clocks: clocks, knownApps: nil)
  }

  /// The versions of every session that has started, at the clocks.
  ///
  /// - Parameter knownApps: The apps whose events are known (``EventsQuery/knownApps``).
  /// - Complexity: As ``sessionVersions(clocks:)``.
  /// - Throws: ``LedgerError``.
  package func sessionVersions(
    clocks: Clocks, knownApps: Set<Name>?
  ) throws(LedgerError) -> SessionVersions {
    var versions = SessionVersions()
    try events(ofKinds: [.sessionStarted], clocks: clocks) { recorded, foldKey in
      if let knownApps {
        guard let app = recorded.event.app, knownApps.contains(app) else { return true }
      }
      versions.add(recorded.event, foldKey)
      return true
    }
    return versions
  }
}
