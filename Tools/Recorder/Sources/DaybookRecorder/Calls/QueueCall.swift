/// What happens at the payment queue of StoreKit 1: each callback of `SKPaymentTransactionObserver`
/// and `SKProductsRequestDelegate`, and each call that the app makes.
///
/// Record a callback at its beginning, and a call right before you make it.
public enum QueueCall: Sendable {
  /// `SKPaymentQueue.add(_: SKPaymentTransactionObserver)`
  case observerAdded
  /// `SKPaymentQueue.remove(_: SKPaymentTransactionObserver)`
  case observerRemoved
  /// `SKPaymentQueue.canMakePayments()` and its answer
  case paymentsChecked(allowed: Bool)
  /// `SKPaymentQueue.add(_: SKPayment)`, and the price that the customer saw
  case paymentAdded(QueuePayment, displayed: DisplayedPrice? = nil)
  /// `paymentQueue(_:shouldAddStorePayment:for:)` and the app's answer. One that is declined
  /// becomes no event: the app adds it later as a payment, or never.
  case storePayment(QueuePayment, isAdded: Bool)
  /// `paymentQueue(_:updatedTransactions:)`, once for each transaction
  case updated(QueueTransaction)
  /// `SKPaymentQueue.finishTransaction(_:)`
  case finish(QueueTransaction)
  /// `paymentQueue(_:removedTransactions:)`, once for each transaction
  case removed(QueueTransaction)
  /// `SKPaymentQueue.start(_: [SKDownload])`, once for each download; so are the next three
  case startDownload(QueueDownload)
  /// `SKPaymentQueue.pause(_:)`
  case pauseDownload(QueueDownload)
  /// `SKPaymentQueue.resume(_:)`
  case resumeDownload(QueueDownload)
  /// `SKPaymentQueue.cancel(_:)`
  case cancelDownload(QueueDownload)
  /// `paymentQueue(_:updatedDownloads:)`, once for each download
  case updatedDownload(QueueDownload)
  /// `SKPaymentQueue.restoreCompletedTransactions()`
  case restore
  /// `paymentQueueRestoreCompletedTransactionsFinished(_:)`
  case restoreFinished
  /// `paymentQueue(_:restoreCompletedTransactionsFailedWithError:)`
  case restoreFailed(StoreError)
  /// `paymentQueueDidChangeStorefront(_:)`, with the three letters of `SKStorefront.countryCode`
  case storefrontChanged(String)
  /// `paymentQueue(_:didRevokeEntitlementsForProductIdentifiers:)`. It names products and no
  /// transaction, so it becomes no event: refresh the receipt, and let the server say which one it
  /// was.
  case entitlementsRevoked([String])
  /// `SKProductsRequest.start()`
  case productsRequested([String])
  /// `productsRequest(_:didReceive:)`
  case productsReceived([OfferedProduct], invalid: [String])
  /// `request(_:didFailWithError:)`
  case productsFailed(StoreError)
}

extension QueueCall {
  /// Whether it is the call that has to wait until everything before it is on the disk.
  var isFinish: Bool { if case .finish = self { true } else { false } }
}

/// What an `SKPayment` says.
public struct QueuePayment: Sendable, Equatable {
  public var product: String
  public var quantity: Int
  /// `applicationUsername`: the account token.
  public var account: String?
  /// `simulatesAskToBuyInSandbox`
  public var asksToBuy: Bool?

  public init(
    product: String, quantity: Int = 1, account: String? = nil, asksToBuy: Bool? = nil
  ) {
    self.product = product
    self.quantity = quantity
    self.account = account
    self.asksToBuy = asksToBuy
  }
}

/// The price that the customer saw: a decimal number as text, and the currency of ISO 4217.
public struct DisplayedPrice: Sendable, Equatable {
  public var price: String
  public var currency: String?

  public init(price: String, currency: String? = nil) {
    self.price = price
    self.currency = currency
  }
}

/// What an `SKPaymentTransaction` says.
public struct QueueTransaction: Sendable, Equatable {
  /// `SKPaymentTransactionState`
  public enum State: Sendable {
    case purchasing, purchased, failed, restored, `deferred`

    /// Whether the store has given the transaction its identifier.
    public var isDelivered: Bool { self == .purchased || self == .restored }
  }

  /// Which object it is, for as long as the app runs: the transaction of a payment has no
  /// identifier before the purchase.
  public var object: UInt
  public var state: State
  public var payment: QueuePayment
  /// `transactionIdentifier`
  public var transaction: String?
  /// `original?.transactionIdentifier`
  public var original: String?
  /// `transactionDate`
  public var date: Timestamp?
  public var error: StoreError?
  /// What it has at the store to be downloaded.
  public var downloads: [HostedContent]

  public init(
    object: UInt, state: State, payment: QueuePayment, transaction: String? = nil,
    original: String? = nil, date: Timestamp? = nil, error: StoreError? = nil,
    downloads: [HostedContent] = []
  ) {
    self.object = object
    self.state = state
    self.payment = payment
    self.transaction = transaction
    self.original = original
    self.date = date
    self.error = error
    self.downloads = downloads
  }
}

/// What an `SKDownload` says of its content.
public struct HostedContent: Sendable, Equatable {
  /// `contentIdentifier`
  public var identifier: String
  /// `contentVersion`
  public var version: String?
  /// `expectedContentLength`, in bytes
  public var length: Int64?

  public init(identifier: String, version: String? = nil, length: Int64? = nil) {
    self.identifier = identifier
    self.version = version
    self.length = length
  }
}

/// What an `SKDownload` says.
public struct QueueDownload: Sendable, Equatable {
  /// `SKDownloadState`
  public enum State: Sendable {
    case waiting, active, paused, finished, failed, cancelled
  }

  public var transaction: QueueTransaction
  public var content: HostedContent
  public var state: State
  /// From 0 to 1.
  public var progress: Float?
  /// In seconds; −1 while it is not known (`SKDownloadTimeRemainingUnknown`).
  public var timeRemaining: Double?
  /// Where the file is, relative to the app's home.
  public var path: String?
  public var error: StoreError?

  public init(
    transaction: QueueTransaction, content: HostedContent, state: State, progress: Float? = nil,
    timeRemaining: Double? = nil, path: String? = nil, error: StoreError? = nil
  ) {
    self.transaction = transaction
    self.content = content
    self.state = state
    self.progress = progress
    self.timeRemaining = timeRemaining
    self.path = path
    self.error = error
  }
}

/// A product as the store offers it: `SKProduct`, or StoreKit 2's `Product`.
public struct OfferedProduct: Sendable, Equatable {
  public var product: String
  public var title: String?
  public var description: String?
  /// A decimal number as text: `NSDecimalNumber.stringValue`.
  public var price: String?
  /// ISO 4217.
  public var currency: String?
  public var priceLocale: String?
  public var storefront: String?
  public var isDownloadable: Bool?
  public var contentVersion: String?
  /// In bytes.
  public var contentLengths: [Int64]

  public init(
    product: String, title: String? = nil, description: String? = nil, price: String? = nil,
    currency: String? = nil, priceLocale: String? = nil, storefront: String? = nil,
    isDownloadable: Bool? = nil, contentVersion: String? = nil, contentLengths: [Int64] = []
  ) {
    self.product = product
    self.title = title
    self.description = description
    self.price = price
    self.currency = currency
    self.priceLocale = priceLocale
    self.storefront = storefront
    self.isDownloadable = isDownloadable
    self.contentVersion = contentVersion
    self.contentLengths = contentLengths
  }
}
