public import LedgerEvents

/// An identifier that the store did not know, and its likely explanations.
public struct InvalidIdentifier: Sendable {
  public var identifier: Name
  /// The responses that list it, and their devices. All responses that name no device count as one
  /// device.
  public var responses: Int
  public var devices: Int
  public var firstSeen: Instant
  public var lastSeen: Instant
  /// The position of the last response.
  public var position: UInt64
  /// The likeliest first; empty if nothing in the ledger explains it.
  public var hints: [InvalidHint]
}

/// Why the store may not know an identifier.
public enum InvalidHint: Hashable, Sendable {
  /// It differs from a known product only in letter case.
  case letterCase(Name)
  /// It differs from a known product only in spaces and line ends.
  case whiteSpace(Name)
  /// It ends like a known product, but has a different bundle identifier in front, or none.
  case prefix(Name)
  /// It differs from a known product in a few letters.
  case spelling(Name, edits: Int)
  /// Other environments sell it but this one does not: it is not approved or not cleared for sale
  /// yet.
  case notYetApproved([StoreEnvironment])
  /// This environment's store sold it at another time, or in another storefront.
  case soldElsewhere(Storefront?, Instant, position: UInt64)
  /// The seller's catalogue has it, but no store ever sold it.
  case neverSold

  /// A code for programs.
  public var code: String {
    switch self {
    case .letterCase: "letterCase"
    case .whiteSpace: "whiteSpace"
    case .prefix: "prefix"
    case .spelling: "spelling"
    case .notYetApproved: "notYetApproved"
    case .soldElsewhere: "soldElsewhere"
    case .neverSold: "neverSold"
    }
  }

  /// The product that is probably meant.
  public var product: Name? {
    switch self {
    case .letterCase(let product), .whiteSpace(let product), .prefix(let product),
      .spelling(let product, _):
      product
    case .notYetApproved, .soldElsewhere, .neverSold: nil
    }
  }

  /// The explanation and what to do, for people.
  public var text: String {
    switch self {
    case .letterCase(let product): "capital letters differ from \(product): ask for that one"
    case .whiteSpace(let product): "white space differs from \(product): ask for that one"
    case .prefix(let product):
      "another bundle identifier before what ends as \(product): ask for that one"
    case .spelling(let product, let edits):
      "\(edits.counted("letter")) from \(product): probably a typing mistake"
    case .notYetApproved(let environments):
      "sold in \(environments.map(\.text).joined(separator: ", ")) only: not approved or not "
        + "cleared for sale yet"
    case .soldElsewhere(let storefront, let time, let position):
      "sold\(storefront.map { " in \($0.code)" } ?? "") at \(time.rfc3339) (position \(position)): "
        + "taken from sale, or not for sale in that storefront"
    case .neverSold:
      "in the seller's catalogue, and no store ever sold it: not set up in the store, or one of "
        + "the six causes"
    }
  }
}

/// What went wrong with a store's responses: the answer of `invalidIdentifiers`.
public struct InvalidReport: Sendable {
  /// Responses in which the store knew none of the requested products.
  public struct AllInvalid: Sendable {
    public var responses: Int
    public var devices: Int
    public var lastSeen: Instant
    public var position: UInt64
    /// The time of a later response that knows a product. The problem is settled then.
    public var settledAt: Instant?
  }

  /// Requests that failed with the same error: `catalog.failed`.
  public struct Failure: Sendable {
    /// `nil` if the event states none.
    public var domain: String?
    public var code: Int64?
    public var message: String?
    public var requests: Int
    public var devices: Int
    public var lastSeen: Instant
    public var position: UInt64
  }

  /// The number of responses examined.
  public var responses: Int
  /// Sorted by identifier.
  public var identifiers: [InvalidIdentifier]
  /// `nil` if there are none. If they are not settled, go through `InvalidCause.allCases`.
  public var allInvalid: AllInvalid?
  /// The most frequent first.
  public var failures: [Failure]
}
