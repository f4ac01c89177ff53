/// The formats that can be imported. The raw values are their names on the command line.
public enum ImportFormat: String, CaseIterable, Sendable {
  /// An Xcode StoreKit configuration file.
  case storekitConfig = "storekit-config"
  /// An answer of the store's verifyReceipt endpoint.
  case verifyReceipt = "verify-receipt"
  /// App Store Server Notifications, version 2.
  case notification
  /// Transactions of StoreKit 2.
  case transaction
  /// Renewal infos of StoreKit 2.
  case renewal
  /// App transactions of StoreKit 2.
  case appTransaction = "app-transaction"
  /// Saved answers of the App Store Server API: transaction history, refund history, subscription
  /// statuses, notification history.
  case history
  /// An app receipt, as the app has it.
  case receipt

  /// App Store Server Notifications, version 1.
  case notificationV1 = "notification-v1"
  /// Webhooks of RevenueCat.
  case revenueCat = "revenuecat"
  /// A scheduled data export of RevenueCat: a table of transactions.
  case revenueCatExport = "revenuecat-export"
  /// Any table, by a declarative map.
  case csv

  /// Whether the store signs what these files hold.
  public var isSigned: Bool { isOfStatements || self == .receipt }

  /// Whether these files hold statements, each of which the store dates and signs itself, and which
  /// ``SignedImport`` reads.
  public var isOfStatements: Bool {
    switch self {
    case .notification, .transaction, .renewal, .appTransaction, .history: true
    default: false
    }
  }

  /// Whether a file is one answer, so that everything in it was said at one time.
  public var isOneAnswer: Bool { self == .verifyReceipt || self == .receipt }
}
