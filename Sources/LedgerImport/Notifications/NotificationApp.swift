/// An app whose notifications are believed.
package struct NotificationApp: Hashable, Sendable {
  /// The app's bundle id, `com.example.shop`.
  package var bundleID: String
  /// The number of the app in the App Store, which App Store Connect shows as its *Apple ID*.
  /// Without it, notifications of production are refused, and those of the sandbox are not.
  package var appAppleID: Int64?

  /// Creates an app.
  ///
  /// - Parameters:
  ///   - bundleID: The app's bundle id.
  ///   - appAppleID: The number of the app in the App Store.
  package init(bundleID: String, appAppleID: Int64? = nil) {
    self.bundleID = bundleID
    self.appAppleID = appAppleID
  }
}
