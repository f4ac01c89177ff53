public import LedgerEvents

/// What a file is about in one environment: what an import has to know about a ledger.
public struct ImportSubjects: Sendable {
  public var environment: StoreEnvironment
  /// Each transaction once.
  public var purchases: [ReceiptImport.Purchase]
  public var renewals: [ReceiptImport.Renewal]
  /// All accounts that the options or the file name.
  public var accounts: [Name]
  /// The ids of events that the file determines itself (notification UUIDs).
  public var identifiers: [Name]
  /// Whether owners are compared along transfers: the file is not the store's, and names whoever
  /// held a purchase at some time.
  public var followsTransfers = false

  public init(
    environment: StoreEnvironment, purchases: [ReceiptImport.Purchase],
    renewals: [ReceiptImport.Renewal], accounts: [Name], identifiers: [Name] = []
  ) {
    self.environment = environment
    self.purchases = purchases
    self.renewals = renewals
    self.accounts = accounts
    self.identifiers = identifiers
  }
}

/// A file of the store's purchases that has been read but not yet compared with a ledger.
public protocol PurchaseImport: Sendable {
  /// When the store said it, the newest of it; `nil` if that is unknown.
  var askedAt: Instant? { get }
  /// Whether everything in the file was signed, and verified.
  var isVerified: Bool { get }
  /// What the file is about, once for each environment.
  var subjects: [ImportSubjects] { get }

  /// Returns the events that a ledger lacks, together with those that it already has under the same
  /// ids.
  ///
  /// - Parameters:
  ///   - known: What the ledger knows about `subjects`, by environment.
  ///   - recordsClaims: Whether naming an account for another customer's purchase is recorded as a
  ///     claim; otherwise it is an error.
  /// - Throws: `ImportError`, with the code `ownedByAnother` if the ledger has another owner.
  func outcome(
    _ known: [StoreEnvironment: KnownPurchases], recordsClaims: Bool
  ) throws(ImportError) -> ReceiptImport.Outcome
}

extension ReceiptImport: PurchaseImport {
  public var subjects: [ImportSubjects] {
    [
      ImportSubjects(
        environment: environment, purchases: purchases, renewals: renewals, accounts: accounts)
    ]
  }

  /// As the other `outcome`, with what is known by environment.
  public func outcome(
    _ known: [StoreEnvironment: KnownPurchases], recordsClaims: Bool
  ) throws(ImportError) -> Outcome {
    try outcome(known[environment] ?? KnownPurchases(), recordsClaims: recordsClaims)
  }
}
