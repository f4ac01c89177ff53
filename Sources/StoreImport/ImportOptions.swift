public import LedgerEvents

/// What the person who imports knows and the file does not say.
public struct ImportOptions: Sendable {
  /// The file's name. Of a path only the last part counts, so that a file is the same file from
  /// every folder.
  public var fileName: String
  /// Whose purchases they are.
  public var account: Name?
  /// Whether `account` counts more than the `app_account_token` of a transaction.
  public var isAccountOverToken: Bool
  /// The bundle identifier. A receipt states its own, and a different one here is an error.
  public var app: Name?
  /// The environment of a receipt that does not state one. A different one is an error.
  public var environment: StoreEnvironment?
  /// When the store gave the answer, for an answer that does not say it. A different time is an
  /// error.
  public var askedAt: Instant?

  public init(
    fileName: String, account: Name? = nil, isAccountOverToken: Bool = false, app: Name? = nil,
    environment: StoreEnvironment? = nil, askedAt: Instant? = nil
  ) {
    self.fileName = fileName
    self.account = account
    self.isAccountOverToken = isAccountOverToken
    self.app = app
    self.environment = environment
    self.askedAt = askedAt
  }

  /// The last part of `fileName`.
  public var baseName: String {
    fileName.utf8.split(separator: UInt8(ascii: "/")).last.map { String($0) ?? fileName }
      ?? fileName
  }
}
