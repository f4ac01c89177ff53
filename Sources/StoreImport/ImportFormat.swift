/// The formats that can be imported, by the names that people give them.
public enum ImportFormat: String, CaseIterable, Sendable {
  /// A StoreKit configuration file of Xcode.
  case storekitConfig = "storekit-config"
  /// An answer of the store's verifyReceipt.
  case verifyReceipt = "verify-receipt"
}
