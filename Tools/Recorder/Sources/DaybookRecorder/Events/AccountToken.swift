import Foundation

/// One customer has one account token, whoever says it.
enum AccountToken {
  /// A UUID in lower case, as the store's server writes it in `appAccountToken`: Swift's
  /// `uuidString` is in upper case. Every other text is left as it is.
  static func canonical(_ text: String) -> String {
    UUID(uuidString: text) == nil ? text : text.lowercased()
  }
}
