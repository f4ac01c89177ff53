import Entitlements
import LedgerEvents
import LedgerModel
import LedgerQueries

/// Derives a verdict about one item from the complete answer about an account. A lookup must agree
/// with it.
struct LongWay {
  let ledger: Ledger
  let now: Instant

  /// Returns the states of an item's grantors, best first, or nil for an unknown account.
  func verdict(
    _ account: Name, _ item: AskedItem, at moment: Instant?, _ environments: [StoreEnvironment]
  ) throws -> Expected? {
    let answer = try self.answer(account, at: moment, environments)
    let found = answer.entries.filter(item.isGranted).min {
      ($0.state, $1.expiresAt?.microseconds ?? .max) < (
        $1.state, $0.expiresAt?.microseconds ?? .max
      )
    }
    if found == nil && !answer.isKnown { return nil }
    return Expected(state: found?.state, expiresAt: found?.expiresAt, position: answer.position)
  }

  func answer(
    _ account: Name, at moment: Instant?, _ environments: [StoreEnvironment]
  ) throws -> EntitlementsAnswer {
    try ledger.read { (view) throws(LedgerError) in
      try view.entitlements(
        of: .account(account), environments: environments, clocks: Clocks(at: moment), now: now)
    }
  }

  struct Expected: Hashable {
    var state: EntitlementState?
    var expiresAt: Instant?
    var position: UInt64
  }
}

/// An item to ask about in tests.
struct AskedItem: Hashable, CustomStringConvertible {
  var name: Name
  var isEntitlement: Bool

  var item: Item { isEntitlement ? .entitlement(name.text) : .product(name.text) }

  var description: String { "\(item)" }

  func isGranted(by entry: EntitlementsAnswer.Entry) -> Bool {
    if !isEntitlement { return entry.product == name }
    return entry.entitlement == name || entry.entitlements.contains(name)
  }

  /// Returns the product and the entitlement with a name.
  static func both(_ name: Name) -> [AskedItem] {
    [AskedItem(name: name, isEntitlement: false), AskedItem(name: name, isEntitlement: true)]
  }
}

extension Verdict {
  /// The verdict in the form of `LongWay`; `nil` for an unknown account.
  var expected: LongWay.Expected? {
    detail.map {
      LongWay.Expected(state: $0.state, expiresAt: $0.expiresAt, position: $0.position)
    }
  }

  var isUnavailable: Bool {
    if case .unavailable = self { return true }
    return false
  }
}
