/// Ranks the grantors of one product: by state, then by the later end (`model.md` 12). The best one
/// sorts first.
package struct GrantorRank: Comparable {
  private let state: EntitlementState
  private let end: Int64

  /// - Parameters:
  ///   - state: The state that the grantor gives the product.
  ///   - end: When the grant ends, in microseconds; `.max` if it has no end.
  package init(state: EntitlementState, end: Int64) {
    self.state = state
    self.end = end
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.state != right.state ? left.state < right.state : left.end > right.end
  }
}

extension EntitlementEntry {
  var rank: GrantorRank { GrantorRank(state: state, end: expiresAt ?? .max) }
}

extension ChainPart.Granted {
  var rank: GrantorRank { GrantorRank(state: state, end: end) }
}
