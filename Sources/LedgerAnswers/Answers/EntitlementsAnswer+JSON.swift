package import LedgerEvents
import LedgerModel
package import LedgerQueries

extension EntitlementsAnswer {
  /// The columns of a table with a row for each entry.
  package static let columns = [
    "account", "at", "position", "product", "entitlement", "entitlements", "state", "since",
    "expiresAt", "originalTransaction", "transactions", "ownership", "source", "environment",
    "unverified",
  ]

  /// The answer as a document.
  ///
  /// - Parameters:
  ///   - customer: Whom the question was about.
  ///   - unverified: The transactions that nobody verified.
  package func json(of customer: CustomerReference, _ unverified: Set<Name>) -> String {
    var json = JSONText()
    json.object { json in
      customer.write(to: &json)
      json.member("known", isKnown)
      json.member("at", at)
      json.member("position", position)
      json.member("environment", environments)
      json.member("entitlements", each: entries) { $1.write(to: &$0, unverified) }
      json.member("active", names: active)
      json.member(
        "balances",
        object: { json in
          for balance in balances { json.member(balance.unit.text, balance.amount) }
        })
      json.member("nextChangeAt", nextChangeAt)
    }
    return json.text
  }
}

extension EntitlementsAnswer.Entry {
  /// Writes the entry.
  ///
  /// - Parameters:
  ///   - json: Where to.
  ///   - unverified: The transactions that nobody verified.
  package func write(to json: inout JSONText, _ unverified: Set<Name>) {
    json.object { json in
      json.member("product", product)
      json.member("entitlement", entitlement)
      json.member("entitlements", names: entitlements)
      json.member("state", state.text)
      json.member("since", since)
      json.member("expiresAt", expiresAt)
      json.member("originalTransaction", originalTransaction)
      json.member("transactions", names: transactions)
      json.member("ownership", isFamilyShared.map { $0 ? "familyShared" : "purchased" })
      json.member("source", source == .operator ? "operator" : "store")
      json.member("environment", environment.text)
      json.member("unverified", names: transactions.filter(unverified.contains))
    }
  }
}
