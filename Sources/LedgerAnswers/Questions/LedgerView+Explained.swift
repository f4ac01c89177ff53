import Audit
package import LedgerEvents
package import LedgerQueries

extension LedgerView {
  /// Why a customer has a product or an entitlement, or has not.
  ///
  /// - Parameters:
  ///   - name: The product or entitlement; `nil` for the product of the transaction or original by
  ///     which the customer is named.
  ///   - customer: Who.
  ///   - environments: The environments that count.
  ///   - clocks: The two clocks.
  ///   - now: The store time if the clocks name none.
  /// - Throws: `LedgerError`, `notFound` if nobody known holds what the customer is named by, or no
  ///   event says which product it is about.
  package func explained(
    _ name: Name?, of customer: CustomerReference, environments: [StoreEnvironment],
    clocks: Clocks, now: Instant
  ) throws(LedgerError) -> ExplainReport {
    var asked = name
    if asked == nil { asked = try product(of: customer, environments, clocks) }
    guard let asked else {
      throw LedgerError(
        .notFound,
        "No event says which product \(customer.words) is about: name the product, too.")
    }
    let found = try explain(
      asked, for: account(of: customer, environments, clocks), environments: environments,
      clocks: clocks, now: now)
    return ExplainReport(
      explanation: found, circumstances: try circumstances(of: found, clocks: clocks))
  }

  /// The product of the transaction or chain that names a customer.
  private func product(
    of customer: CustomerReference, _ environments: [StoreEnvironment], _ clocks: Clocks
  ) throws(LedgerError) -> Name? {
    let entries = try transactions(of: customer, environments: environments, clocks: clocks).entries
    switch customer {
    case .account: return nil
    case .transaction(let name): return entries.first { $0.transaction == name }?.product
    case .original(let name):
      let own = entries.first { $0.transaction == name }
      return (own ?? entries.first { $0.originalTransaction == name })?.product
    }
  }
}
