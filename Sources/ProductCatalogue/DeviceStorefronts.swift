internal import LedgerEvents
internal import LedgerModel
internal import LedgerQueries

/// The storefronts that devices reported, for responses that do not state one themselves.
struct DeviceStorefronts {
  private struct Statement {
    var foldKey: EventFoldKey
    var environment: StoreEnvironment?
    var storefront: Storefront
  }

  private var statements: [Name?: [Statement]] = [:]

  /// Reads the `session.started` and `storefront.changed` events of some devices.
  ///
  /// - Complexity: O(*n*) in the positions, one byte each, and in the devices' statements.
  init(of devices: Set<Name?>, _ view: LedgerView, _ clocks: Clocks) throws(LedgerError) {
    guard !devices.isEmpty else { return }
    var found: [Name?: [Statement]] = [:]
    try view.events(ofKinds: [.sessionStarted, .storefrontChanged], clocks: clocks) {
      (recorded, foldKey) throws(LedgerError) in
      let event = recorded.event
      if devices.contains(event.device), let code = event.data.string("storefront") {
        found[event.device, default: []].append(
          Statement(foldKey: foldKey, environment: event.environment, storefront: Storefront(code)))
      }
      return true
    }
    statements = found.mapValues { $0.sorted { $0.foldKey < $1.foldKey } }
  }

  /// The newest storefront that the device reported before a sort key in the fold order. A
  /// storefront reported in one environment does not count for another: testers have a storefront
  /// of their own.
  func storefront(
    of device: Name?, before foldKey: EventFoldKey, in environment: StoreEnvironment?
  ) -> Storefront? {
    statements[device]?.last { statement in
      statement.foldKey < foldKey
        && (environment == nil || statement.environment == nil
          || statement.environment == environment)
    }?.storefront
  }
}
