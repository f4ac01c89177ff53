import LedgerEvents

/// Why what the store says in a file is believed.
enum StoreEvidence {
  /// It was signed, and verified.
  case verified
  /// It is what the store signs, and nobody verified it. Its events say so.
  case unverified
  /// It is what the store does not sign: answers of verifyReceipt.
  case unsigned

  /// Whether a known event with the same words makes another one needless.
  func isCovered(by known: Event) -> Bool { self != .verified || !known.isUnverified }
}

extension Event {
  /// The member of `data` that is false where nobody verified what the store signs.
  static var verified: String { "verified" }

  /// Whether it was imported from what the store signs, and nobody verified that.
  var isUnverified: Bool { data.boolean(Event.verified) == false }
}
