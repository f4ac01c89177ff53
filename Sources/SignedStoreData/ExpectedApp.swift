public import LedgerEvents

extension StoreEnvironment {
  /// The environment that signed data calls by this name; nil if none is known.
  init?(signedName: String) {
    guard let found = Self.allCases.first(where: { $0.signedName == signedName }) else {
      return nil
    }
    self = found
  }

  /// The name in signed data.
  var signedName: String {
    switch self {
    case .production: "Production"
    case .sandbox: "Sandbox"
    case .xcode: "Xcode"
    case .localTesting: "LocalTesting"
    }
  }

  /// Whether a pinned certificate of a local test may sign for it.
  var isLocal: Bool { self == .xcode || self == .localTesting }
}

/// What signed data must say about its app and its environment to be believed.
public struct ExpectedApp: Sendable {
  /// The app's bundle id, `com.example.shop`.
  public var bundleID: String
  /// The number of the app in the App Store, which notifications and app transactions of production
  /// state. App Store Connect shows it as the *Apple ID* of the app.
  public var appAppleID: Int64?
  /// The environments whose data is wanted.
  public var environments: Set<StoreEnvironment>

  /// - Parameters:
  ///   - bundleID: The app's bundle id.
  ///   - appAppleID: The number of the app in the App Store. Without it, notifications and app
  ///     transactions of production are refused.
  ///   - environments: The environments whose data is wanted.
  public init(
    bundleID: String, appAppleID: Int64? = nil, environments: Set<StoreEnvironment>
  ) {
    self.bundleID = bundleID
    self.appAppleID = appAppleID
    self.environments = environments
  }
}
