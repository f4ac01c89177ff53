public import LedgerEvents

/// One answer of verifyReceipt, or one app receipt, that has been read but not yet compared with a
/// ledger.
public struct ReceiptImport: Sendable {
  /// A purchase that the answer lists.
  public struct Purchase: Hashable, Sendable {
    public var transaction: Name
    public var original: Name
  }

  /// A chain whose renewal state is in the answer.
  public struct Renewal: Hashable, Sendable {
    public var original: Name
    /// The last period of the chain in the answer.
    public var transaction: Name?
  }

  /// The result of an import.
  public struct Outcome: Sendable {
    /// `import.received`, followed by the facts in the fold order.
    public var events: [Event]
    /// Claims of accounts that do not hold the purchases they were named for.
    public var claims: [ReceiptClaim]
    /// The number of purchases without an owner: no account was named, and the ledger knows none.
    public var unownedCount: Int
    /// What was left out and why, one sentence each with its location in the document.
    public var warnings: [String]
  }

  public let environment: StoreEnvironment
  /// The bundle identifier; `nil` if it is unknown.
  public let app: Name?
  /// When the store gave the answer; `nil` if it is unknown.
  public let askedAt: Instant?
  /// Each transaction once.
  public let purchases: [Purchase]
  public let renewals: [Renewal]
  /// All accounts that the options or the answer name.
  public let accounts: [Name]

  /// Whether it was signed, and verified. Answers of verifyReceipt are not signed.
  public let isVerified: Bool

  private let receipt: Receipt
  private let received: Event
  private let options: ImportOptions

  /// Reads an answer.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - options: Information that is not in the file.
  /// - Throws: `ImportError`, also if the answer's status is not 0, unless it is 21006 and the
  ///   answer lists purchases.
  /// - Complexity: O(*n* log *n*) in the number of purchases, O(*m*) in the number of bytes.
  public init(_ bytes: [UInt8], options: ImportOptions) throws(ImportError) {
    do throws(ImportError) {
      let receipt = try VerifyReceipt.receipt(bytes, options: options)
      try self.init(
        receipt, of: bytes, format: VerifyReceipt.format, isVerified: false, options: options)
    } catch {
      throw error.of(file: options.baseName)
    }
  }

  /// Reads an app receipt, and verifies it.
  ///
  /// - Parameters:
  ///   - bytes: The whole file: DER or BER, or base64 of it.
  ///   - options: Information that is not in the file.
  ///   - trust: What is believed of receipts.
  /// - Throws: `ImportError`, with the code `notBelieved` if the receipt cannot be verified.
  /// - Complexity: O(*n* log *n*) in the number of purchases, O(*m*) in the number of bytes, and
  ///   three checks of RSA.
  public init(
    receipt bytes: [UInt8], options: ImportOptions, trust: SignatureTrust
  ) throws(ImportError) {
    do throws(ImportError) {
      let (receipt, isVerified) = try ReceiptFile.receipt(bytes, options: options, trust: trust)
      try self.init(
        receipt, of: bytes, format: ReceiptFile.format, isVerified: isVerified, options: options)
    } catch {
      throw error.of(file: options.baseName)
    }
  }

  private init(
    _ receipt: Receipt, of bytes: [UInt8], format: String, isVerified: Bool,
    options: ImportOptions
  ) throws(ImportError) {
    self.receipt = receipt
    self.isVerified = isVerified
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
      for token in try purchase.accountTokens() where !accounts.contains(token) {
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
    // Counted as for an empty ledger, so that the same file always gives the same event.
    let facts = try ImportBatch.ordered(try receipt.facts(KnownPurchases()))
    received = ImportBatch.received(
      format: format, bytes: bytes, events: facts.count, options: options,
      occurredAt: try receipt.importDate(facts), app: receipt.app,
      environment: receipt.environment, isVerified: isVerified)
  }

  /// Returns the events that a ledger lacks, together with those that it already has under the same
  /// ids.
  ///
  /// - Parameters:
  ///   - known: What the ledger knows about `purchases`, `renewals` and `accounts`.
  ///   - recordsClaims: Whether naming an account for another customer's purchase is recorded as a
  ///     claim; otherwise it is an error.
  /// - Throws: `ImportError`, with the code `ownedByAnother` if the ledger has another owner.
  /// - Complexity: O(*n* log *n*) in the number of purchases and known facts about them.
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
