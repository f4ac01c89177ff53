public import LedgerEvents

/// One answer of verifyReceipt, read and not yet held against a ledger.
public struct ReceiptImport: Sendable {
  /// A purchase that the answer lists.
  public struct Purchase: Hashable, Sendable {
    public var transaction: Name
    public var original: Name
  }

  /// A chain of which the answer states whether and how it renews.
  public struct Renewal: Hashable, Sendable {
    public var original: Name
    /// The last period that the answer lists.
    public var transaction: Name?
  }

  /// What an import comes to.
  public struct Outcome: Sendable {
    /// `import.received` first, then the facts in the fold's order.
    public var events: [Event]
    /// Accounts that were named and do not hold what they were named for.
    public var claims: [ReceiptClaim]
    /// How many purchases nobody owns: no account was named, and the ledger knows none.
    public var unownedCount: Int
    /// What was left out and why, a sentence each with its place in the document.
    public var warnings: [String]
  }

  public let environment: StoreEnvironment
  /// The bundle identifier; `nil` where nothing says it.
  public let app: Name?
  /// When the store gave the answer; `nil` where nothing says it.
  public let askedAt: Instant?
  /// Each transaction once.
  public let purchases: [Purchase]
  public let renewals: [Renewal]
  /// Every account that the options or the answer name.
  public let accounts: [Name]

  private let receipt: Receipt
  private let received: Event
  private let options: ImportOptions

  /// Reads an answer.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - options: What the file does not say.
  /// - Throws: `ImportError`, also where the answer's status is not 0, unless it is 21006 and
  ///   lists purchases.
  /// - Complexity: O(*n* log *n*) in the number of purchases, O(*m*) in the number of bytes.
  public init(_ bytes: [UInt8], options: ImportOptions) throws(ImportError) {
    do throws(ImportError) {
      let receipt = try VerifyReceipt.receipt(bytes, options: options)
      self.receipt = receipt
      self.options = options
      environment = receipt.environment
      app = receipt.app
      askedAt = receipt.askedAt
      var purchases: [Purchase] = []
      var accounts = options.account.map { [$0] } ?? []
      for purchase in receipt.purchases {
        purchases.append(
          Purchase(
            transaction: Name(purchase.transaction), original: Name(try purchase.original())))
        if let token = try purchase.accountToken(), !accounts.contains(token) {
          accounts.append(token)
        }
      }
      self.purchases = purchases
      self.accounts = accounts
      renewals = receipt.renewals.subjects.map { subject in
        Renewal(
          original: Name(subject.original),
          transaction: subject.period.map { Name($0.transaction) })
      }
      // Counted as if the ledger were empty, so that the same file is the same event.
      let facts = try ImportBatch.ordered(try receipt.facts(KnownPurchases()))
      received = ImportBatch.received(
        format: VerifyReceipt.format, bytes: bytes, events: facts.count, options: options,
        occurredAt: try receipt.importDate(facts), app: receipt.app,
        environment: receipt.environment)
    } catch {
      throw error.of(file: options.baseName)
    }
  }

  /// The events that a ledger lacks, among those that it has already under the same ids.
  ///
  /// - Parameters:
  ///   - known: What the ledger knows of `purchases`, `renewals` and `accounts`.
  ///   - recordsClaims: Whether an account that is named for somebody else's purchase is a claim;
  ///     otherwise it is an error.
  /// - Throws: `ImportError`; of code `ownedByAnother` where the ledger knows another owner.
  /// - Complexity: O(*n* log *n*) in the purchases and in what is known of them.
  public func outcome(
    _ known: KnownPurchases = KnownPurchases(), recordsClaims: Bool = false
  ) throws(ImportError) -> Outcome {
    do throws(ImportError) {
      let ownership = try receipt.ownership(known, recordsClaims: recordsClaims)
      let facts = try ImportBatch.ordered(try receipt.facts(known) + ownership.assignments)
      return Outcome(
        events: try ImportBatch.checked([received] + facts), claims: ownership.claims,
        unownedCount: ownership.unownedCount,
        warnings: receipt.renewals.warnings + ownership.warnings)
    } catch {
      throw error.of(file: options.baseName)
    }
  }
}
