/// What the app does: it runs, gives what was bought, installs content, and spends.
public enum AppCall: Sendable {
  /// The app was launched. Record it first.
  case launched(Launch)
  case backgrounded
  case foregrounded
  /// The app ends; `reason` is a word of yours, such as `quit` or `crashed`.
  case ended(reason: String?)
  /// The receipt or the signed transaction goes to the backend.
  case receiptSubmitted(Purchase)
  case receiptAccepted(Purchase, status: Int64? = nil)
  case receiptRejected(Purchase, status: Int64? = nil, StoreError? = nil)
  /// The customer has what was bought: record it once for each transaction, after it was stored.
  case fulfilled(Purchase)
  case fulfillmentFailed(Purchase, StoreError?)
  /// The copy of downloaded content out of the cache begins.
  case installStarted(Install)
  /// The copy is complete and in position. `version` is needed.
  case installed(Install, version: String)
  case installFailed(Install, StoreError?)
  /// A version is the current one from now on.
  case activated(Install)
  case contentRemoved(Install)
  /// The system emptied the download cache.
  case cachePurged
  /// The customer spends from a balance; `amount` is 1 or more. Without an account, nothing can be
  /// spent: it is that of `account`, else of whoever is signed in.
  case consumed(unit: String, amount: Int64, product: String? = nil, account: String? = nil)
}

/// What is known about a launch.
public struct Launch: Sendable, Equatable {
  public var appVersion: String?
  public var systemVersion: String?
  /// True in the simulator of Xcode, which receives no hosted content.
  public var isSimulator: Bool?
  /// The three letters of the storefront's country.
  public var storefront: String?
  public var language: String?

  public init(
    appVersion: String? = nil, systemVersion: String? = nil, isSimulator: Bool? = nil,
    storefront: String? = nil, language: String? = nil
  ) {
    self.appVersion = appVersion
    self.systemVersion = systemVersion
    self.isSimulator = isSimulator
    self.storefront = storefront
    self.language = language
  }
}

/// Which purchase the app acts on.
public struct Purchase: Sendable, Equatable {
  public var product: String?
  public var transaction: String?
  /// The recorder's name of the payment, for what has no transaction.
  public var payment: String?
  /// Whom the transaction names.
  public var account: String?

  public init(
    product: String? = nil, transaction: String? = nil, payment: String? = nil,
    account: String? = nil
  ) {
    self.product = product
    self.transaction = transaction
    self.payment = payment
    self.account = account
  }

  public init(_ transaction: QueueTransaction) {
    self.init(
      product: transaction.payment.product, transaction: transaction.transaction,
      account: transaction.payment.account)
  }

  /// What a transaction says; of one that StoreKit did not verify only the product.
  public init(_ transaction: SignedTransaction) {
    let isVerified = transaction.verificationError == nil
    self.init(
      product: transaction.product, transaction: isVerified ? transaction.transaction : nil,
      account: isVerified ? transaction.account : nil)
  }
}

/// What is installed or removed.
public struct Install: Sendable, Equatable {
  /// Of a download: its transaction; else the product alone.
  public var purchase: Purchase
  /// `contentIdentifier` of the download.
  public var download: String?
  public var version: String?
  /// Relative to the app's home: the whole path would name the installation.
  public var path: String?
  public var bytes: Int64?
  public var digest: String?
  public var isExcludedFromBackup: Bool?

  public init(
    _ purchase: Purchase, download: String? = nil, version: String? = nil, path: String? = nil,
    bytes: Int64? = nil, digest: String? = nil, isExcludedFromBackup: Bool? = nil
  ) {
    self.purchase = purchase
    self.download = download
    self.version = version
    self.path = path
    self.bytes = bytes
    self.digest = digest
    self.isExcludedFromBackup = isExcludedFromBackup
  }
}
