import LedgerEvents
package import LedgerQueries

extension ContentUpdateCounts {
  /// Writes how many devices have which version of a product.
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("product", product)
      json.member("environment", environment.text)
      json.member("available", available)
      json.member("current", current)
      json.member("behind", behind)
      json.member("missing", missing)
      json.member("removed", removed)
      json.member("notOwned", notOwned)
    }
  }
}

extension ContentUpdate {
  /// Writes the device that is behind.
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("account", account)
      json.member("device", device)
      json.member("product", product)
      json.member("installed", installed)
      json.member("available", available)
      json.member("reason", reason.rawValue)
      json.member("environment", environment.text)
    }
  }
}
