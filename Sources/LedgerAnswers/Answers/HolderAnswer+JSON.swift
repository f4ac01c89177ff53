import LedgerEvents
import LedgerModel
package import LedgerQueries

extension HolderAnswer {
  /// The names of the members, in their order.
  package static let columns = [
    "account", "product", "entitlement", "state", "since", "expiresAt", "environment",
  ]

  /// Writes the holder.
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("account", account)
      json.member("product", product)
      json.member("entitlement", entitlement)
      json.member("state", state.text)
      json.member("since", since)
      json.member("expiresAt", expiresAt)
      json.member("environment", environment.text)
    }
  }
}
