package import LedgerEvents
internal import LedgerModel
package import LedgerStore

/// The events that state one of some apps: all that an answer for somebody with these apps alone
/// knows of (``EventsQuery/knownApps``).
///
/// An event that states no app can be of any, so it is not one of them.
package struct KnownApps {
  private let numbers: Set<NameNumber>

  /// - Complexity: O(*k* log *n*) in the number of apps.
  package init(_ apps: Set<Name>, _ view: LedgerView) throws(LedgerError) {
    numbers = try view.numbers(of: .app, apps)
  }

  func contains(_ app: NameNumber) -> Bool { numbers.contains(app) }

  func contains(_ record: borrowing RecordView) -> Bool { numbers.contains(record.number(.app)) }

  /// Returns the facts of such events.
  func cut(_ facts: [Fact]) -> [Fact] { facts.filter { numbers.contains($0.app) } }

  /// The positions of the events of the customer behind an account, as a ledger of such events
  /// alone has them at the clocks.
  ///
  /// - Complexity: O(*n* log *n*) in the facts of the customer's unit and of the fold context.
  func positions(
    ofCustomer account: NameNumber, at clocks: Clocks, _ view: LedgerView
  ) throws(LedgerError) -> Set<UInt64> {
    guard let unit = try view.unitNumber(of: account) else { return [] }
    let facts = cut(try view.facts(of: unit, at: clocks))
    // An environment is in the context because of the first event that states it, which can be
    // another app's. The unit's own facts say in which environments they are folded.
    let context = cut(try view.contextFacts(at: clocks)).merged(with: facts)
    let positions = Unit.positions(
      ofCustomer: account, among: facts,
      context: SharedContext(of: context, texts: view.texts), texts: view.texts)
    try view.texts.check()
    return positions
  }
}
