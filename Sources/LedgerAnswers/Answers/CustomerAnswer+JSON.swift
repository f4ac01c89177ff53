import LedgerEvents
package import LedgerQueries

extension CustomerAnswer {
  /// The names of the members, in their order.
  package static let columns = [
    "accounts", "transaction", "matches", "active", "transactions", "openTransactions",
    "newestEventAt",
  ]

  /// The customer's account ids, or what is known instead of them.
  package var title: String {
    guard accounts.isEmpty else { return accounts.map(\.text).joined(separator: ", ") }
    guard case .transaction(let name) = reference else { return "-" }
    return "unknown customer (transaction \(name.text))"
  }

  /// Writes the customer.
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("accounts", names: accounts)
      if case .transaction(let name) = reference {
        json.member("transaction", name)
      } else {
        json.member("transaction", nil as String?)
      }
      json.member("matches", each: matches) { $1.write(to: &$0) }
      json.member("active", names: active)
      json.member("transactions", transactions)
      json.member("openTransactions", openTransactions)
      json.member("newestEventAt", newestEventAt)
    }
  }
}

extension CustomerMatch {
  /// The match in words, such as `account reader-1 (a part of it)`.
  package var description: String {
    let how =
      switch nearness {
      case .exact: ""
      case .part: " (a part of it)"
      case .near: " (similar)"
      }
    return "\(kind.text) \(name.text)\(how)"
  }

  /// Writes the match.
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("kind", kind.text)
      json.member("value", name)
      json.member("nearness", nearness.text)
    }
  }
}
