import LedgerEvents
package import LedgerQueries

extension CustomerReference {
  /// Writes the reference as members of an answer.
  package func write(to json: inout JSONText) {
    switch self {
    case .account(let name): json.member("account", name.text)
    case .transaction(let name):
      json.member("account", nil as String?)
      json.member("transaction", name.text)
    case .original(let name):
      json.member("account", nil as String?)
      json.member("original", name.text)
    }
  }
}
