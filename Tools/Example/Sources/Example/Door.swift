import Entitlements

/// Whoever makes a request.
struct Visitor {
  var account: String
  /// Whether this program trusts the visitor to be a reviewer of the store, who buys in the sandbox
  /// with a production build.
  var isReviewer: Bool
}

/// Decides who comes in, and says why: what a server's handler would do with the answers.
struct Door {
  private let entitlements: Entitlements

  init(_ entitlements: Entitlements) { self.entitlements = entitlements }

  /// Whether the visitor may have the item, in words.
  func answer(_ visitor: Visitor, _ item: String) -> String {
    // An item is a product or an entitlement; who knows which one asks for that one only.
    let product = ask(visitor, .product(item))
    let verdict = product.detail?.state == nil ? ask(visitor, .entitlement(item)) : product
    switch verdict {
    case .yes(let detail):
      guard let change = detail.nextChangeAt else { return "\(item): yes, for good" }
      // An answer can be kept until then by whoever need not hear of refunds before.
      return "\(item): yes, until \(change.rfc3339) at least"
    case .no(let detail):
      return "\(item): no, \(detail.state?.text ?? "never had")"
    case .unknownAccount:
      return "\(item): no, nobody knows \(visitor.account)"
    case .unavailable(let why):
      // The ledger's trouble is not the customer's: let them in, and tell the operator.
      return "\(item): yes, because the ledger cannot be asked: \(why.message)"
    }
  }

  private func ask(_ visitor: Visitor, _ item: Item) -> Verdict {
    entitlements.isEntitled(
      visitor.account, to: item, environments: visitor.isReviewer ? [.production, .sandbox] : nil)
  }

  /// A line for everything that the visitor has, and one for each balance.
  func belongings(of visitor: Visitor) throws -> [String] {
    let answer = try entitlements.entitlements(
      of: .account(.init(visitor.account)),
      environments: visitor.isReviewer ? [.production, .sandbox] : nil)
    let entries = answer.entries.map { entry in
      "has \(entry.product ?? entry.entitlement ?? "nothing"): \(entry.state.text)"
    }
    return entries + answer.balances.map { "has \($0.amount) \($0.unit)" }
  }

  /// A line for each product that is installed, with whether a newer version is on offer.
  func installed(by visitor: Visitor) throws -> [String] {
    try entitlements.installed(of: .account(.init(visitor.account))).map { content in
      let update = content.updateAvailable ? ", \(content.available ?? "another") is on offer" : ""
      return "installed \(content.product) \(content.contentVersion)\(update)"
    }
  }
}
