import LedgerEvents

/// What is pulled: one list of the store for each transaction, or the notifications of the app.
package enum StoreList: String, CaseIterable, Sendable, Hashable {
  case history
  case refunds
  case statuses
  case notifications

  package var endpoint: StoreEndpoint {
    switch self {
    case .history: .history
    case .refunds: .refunds
    case .statuses: .statuses
    case .notifications: .notifications
    }
  }
}

/// The parts of the App Store Server API that are called.
package enum StoreEndpoint: Sendable, Hashable, CaseIterable {
  /// Get Transaction History, version 2.
  case history
  /// Get Refund History, version 2.
  case refunds
  /// Get All Subscription Statuses.
  case statuses
  /// Get Notification History.
  case notifications
  /// Set App Account Token.
  case accountToken

  /// How many requests a second the store allows for an app in production.
  ///
  /// Source: Identifying rate limits (App Store Server API). The store counts them by the hour.
  package var requestsPerSecondMax: Int64 {
    switch self {
    case .history, .statuses, .notifications: 50
    case .refunds: 10
    case .accountToken: 20
    }
  }

  /// The part of production's limit that the sandbox allows: a tenth (same source).
  static let sandboxShare: Int64 = 10

  /// The time between two requests that keeps the limit, in microseconds.
  package func interval(in environment: StoreHost.Environment) -> Int64 {
    let share = environment == .sandbox ? Self.sandboxShare : 1
    return Instant.second * share / requestsPerSecondMax
  }
}

/// A port of TCP (RFC 9293). The HTTP client ends the program at a larger number.
enum NetworkPort {
  static func isKnown(_ number: Int?) -> Bool { number.map((1...65_535).contains) ?? false }
}

/// The servers of the App Store Server API.
package struct StoreHost: Sendable, Hashable {
  /// Where purchases are made. What Xcode tests has no server.
  package enum Environment: String, CaseIterable, Sendable, Hashable {
    case production
    case sandbox

    package var other: Environment { self == .production ? .sandbox : .production }

    /// How many days back the notification history reaches (Get Notification History).
    package var notificationDays: Int64 { self == .production ? 180 : 30 }
  }

  package static let production = "https://api.storekit.itunes.apple.com"
  package static let sandbox = "https://api.storekit-sandbox.itunes.apple.com"

  /// The beginning of every address, without a slash at its end.
  package let base: String

  /// - Parameter text: `https://` and a host; without TLS, only for this machine, because whoever
  ///   reads the bearer token can use it.
  /// - Throws: ``PullError``: `refused`.
  package init(_ text: String) throws(PullError) {
    let plain = text.hasSuffix("/") ? String(text.dropLast()) : text
    let secure = "https://"
    let open = "http://"
    let rest: Substring
    if plain.hasPrefix(secure) {
      rest = plain.dropFirst(secure.count)
    } else if plain.hasPrefix(open), Self.isLocal(plain.dropFirst(open.count)) {
      rest = plain.dropFirst(open.count)
    } else {
      throw PullError(
        .refused,
        "the host \(text) cannot be used: expected https:// and a name. Only on this machine "
          + "(127.0.0.1 or localhost) is http:// allowed, because the request has a bearer token.")
    }
    let allowed: (UInt8) -> Bool = { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":")].contains(byte)
    }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard rest.utf8.allSatisfy(allowed), let name = parts.first, !name.isEmpty,
      parts.count == 1 || parts.count == 2 && NetworkPort.isKnown(Int(parts[1]))
    else {
      throw PullError(
        .refused,
        "the host \(text) cannot be used: expected a name and perhaps a port from 1 to 65535, no "
          + "path.")
    }
    base = plain
  }

  private static func isLocal(_ rest: Substring) -> Bool {
    ["127.0.0.1", "localhost"].contains { rest == $0 || rest.hasPrefix($0 + ":") }
  }
}
