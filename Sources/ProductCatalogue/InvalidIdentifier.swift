public import LedgerEvents

/// An identifier that the store did not know, and what that points to.
public struct InvalidIdentifier: Sendable {
  public var identifier: Name
  /// The responses that list it, and their devices; responses that name no device count as one
  /// device's.
  public var responses: Int
  public var devices: Int
  public var firstSeen: Instant
  public var lastSeen: Instant
  /// Of the last response.
  public var position: UInt64
  /// The likeliest first; empty where nothing that the ledger knows explains it.
  public var hints: [InvalidHint]
}

/// Why the store may not know an identifier.
public enum InvalidHint: Hashable, Sendable {
  /// It is a known product but for capital letters.
  case letterCase(Name)
  /// It is a known product but for spaces and line ends.
  case whiteSpace(Name)
  /// It ends as a known product does, behind another bundle identifier or none.
  case prefix(Name)
  /// It is a known product but for a few letters.
  case spelling(Name, edits: Int)
  /// Environments for tests sell it, this one does not: not approved yet, or not cleared for sale.
  case notYetApproved([StoreEnvironment])
  /// This environment's store sold it at another time, or in another storefront.
  case soldElsewhere(Storefront?, Instant, position: UInt64)
  /// The seller's catalogue has it and no store ever sold it.
  case neverSold

  /// A word for programs.
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

  /// What it points to and what to do, for people.
  public var text: String {
    switch self {
    case .letterCase(let product): "capital letters differ from \(product): ask for that one"
    case .whiteSpace(let product): "white space differs from \(product): ask for that one"
    case .prefix(let product):
      "another bundle identifier before what ends as \(product): ask for that one"
    case .spelling(let product, let edits):
      "\(edits) \(edits == 1 ? "letter" : "letters") from \(product): probably a typing mistake"
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

/// How responses of a store failed: what `invalidIdentifiers` answers.
public struct InvalidReport: Sendable {
  /// Responses that know nothing of what was asked for.
  public struct AllInvalid: Sendable {
    public var responses: Int
    public var devices: Int
    public var lastSeen: Instant
    public var position: UInt64
    /// A response after the last of them that knows a product: what was wrong is settled.
    public var settledAt: Instant?
  }

  /// Requests that ended in an error of one sort: `catalog.failed`.
  public struct Failure: Sendable {
    /// `nil` where the event states none.
    public var domain: String?
    public var code: Int64?
    public var message: String?
    public var requests: Int
    public var devices: Int
    public var lastSeen: Instant
    public var position: UInt64
  }

  /// How many responses were looked at.
  public var responses: Int
  /// By identifier.
  public var identifiers: [InvalidIdentifier]
  /// `nil` where there are none. While they are not settled, look at `InvalidCause.allCases`.
  public var allInvalid: AllInvalid?
  /// The most frequent first.
  public var failures: [Failure]
}
