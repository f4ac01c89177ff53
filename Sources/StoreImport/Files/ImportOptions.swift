public import LedgerEvents

/// Information for an import that is not in the file.
public struct ImportOptions: Sendable {
  /// The file's name. Only the last part of a path is used, so that the folder makes no difference.
  public var fileName: String
  /// The key of the digests in ids. Use the ledger's own (`Ledger.importDigestKey()`). A file that
  /// is imported into the same ledger again then gives the same ids, and nobody without the
  /// ledger's key file can guess from an id what was imported.
  public var digestKey: [UInt8]
  /// The account that the purchases belong to.
  public var account: Name?
  /// Whether `account` takes precedence over the `app_account_token` of a transaction.
  public var isAccountOverToken: Bool
  /// The bundle identifier. A receipt states its own; a different one here is an error.
  public var app: Name?
  /// The environment of a receipt that does not state one. A different one here is an error.
  public var environment: StoreEnvironment?
  /// When the store gave the answer, for an answer that does not state it. A different time here is
  /// an error.
  public var askedAt: Instant?

  public init(
    fileName: String, digestKey: [UInt8], account: Name? = nil, isAccountOverToken: Bool = false,
    app: Name? = nil, environment: StoreEnvironment? = nil, askedAt: Instant? = nil
  ) {
    self.fileName = fileName
    self.digestKey = digestKey
    self.account = account
    self.isAccountOverToken = isAccountOverToken
    self.app = app
    self.environment = environment
    self.askedAt = askedAt
  }

  /// The last part of `fileName`.
  public var baseName: String { ImportOptions.baseName(of: fileName) }

  /// The last part of a path.
  package static func baseName(of fileName: String) -> String {
    fileName.utf8.split(separator: UInt8(ascii: "/")).last.map { String($0) ?? fileName }
      ?? fileName
  }
}
