/// The formats that can be imported. The raw values are their names on the command line.
public enum ImportFormat: String, CaseIterable, Sendable {
  /// An Xcode StoreKit configuration file.
  case storekitConfig = "storekit-config"
  /// An answer of the store's verifyReceipt endpoint.
  case verifyReceipt = "verify-receipt"
  /// An app receipt, as the app has it.
  case receipt
}
