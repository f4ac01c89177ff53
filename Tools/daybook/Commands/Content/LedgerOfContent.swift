import HostedContent
import LedgerEvents
import LedgerModel
import LedgerQueries

/// The ledger in the form that installing content needs.
struct LedgerOfContent: ContentLedger {
  private let ledger: Ledger
  private let environments: [StoreEnvironment]

  /// - Parameter environment: The environment of the customer's installed versions; `nil` for
  ///   production.
  init(_ ledger: Ledger, environment: StoreEnvironment?) {
    self.ledger = ledger
    environments = [environment ?? .production]
  }

  func append(_ events: [Event]) throws(ContentError) {
    guard !events.isEmpty else { return }
    do throws(LedgerError) {
      try ledger.appendAndWait(events.map { EventInput(event: $0) })
    } catch {
      throw problem(error)
    }
  }

  func installed(of owner: ContentOwner) throws(ContentError) -> [LedgerInstall] {
    do throws(LedgerError) {
      return try ledger.read { (view) throws(LedgerError) in
        try view.installed(of: .account(owner.account), environments: environments)
          .filter { $0.device == owner.device }
          .map { LedgerInstall(product: $0.product, version: $0.contentVersion, path: $0.path) }
      }
    } catch {
      throw problem(error)
    }
  }

  func contentEvents(of owner: ContentOwner) throws(ContentError) -> [Event] {
    var query = EventsQuery()
    query.account = owner.account
    query.device = owner.device
    query.type = "content.*"
    var events: [RecordedEvent] = []
    do throws(LedgerError) {
      try ledger.read { (view) throws(LedgerError) in
        try view.events(query) { recorded in
          events.append(recorded)
          return true
        }
      }
    } catch {
      throw problem(error)
    }
    return events.sorted { EventFoldKey($0) < EventFoldKey($1) }.map(\.event)
  }

  private func problem(_ error: LedgerError) -> ContentError {
    let code: ContentError.Code =
      switch error.code {
      case .busy, .rebuildNeeded: .busy
      case .full: .diskFull
      case .noLedger: .missing
      case .io, .outcomeUnknown, .readOnly, .closed: .inputOutput
      default: .malformed
      }
    return ContentError(code, path: ledger.path, error.message)
  }
}
