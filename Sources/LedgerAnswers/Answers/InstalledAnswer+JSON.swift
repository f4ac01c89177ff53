package import LedgerEvents
package import LedgerQueries

extension InstalledAnswer {
  /// The names of the members, in their order.
  package static let columns = [
    "account", "device", "product", "contentVersion", "path", "installedAt", "available",
    "updateAvailable", "environment",
  ]

  /// Writes the entry, with the account if the answer is about several.
  package func write(to json: inout JSONText, account: Name?) {
    json.object { json in
      if let account { json.member("account", account) }
      json.member("device", device)
      json.member("product", product)
      json.member("contentVersion", contentVersion)
      json.member("path", path)
      json.member("installedAt", installedAt)
      json.member("available", available)
      json.member("updateAvailable", updateAvailable)
      json.member("environment", environment.text)
    }
  }
}
