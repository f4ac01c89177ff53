import Foundation
package import LedgerEvents

/// Makes the bearer tokens of requests, each for five minutes, and makes a new one before the old
/// one ends.
///
/// Source: Generating JSON Web Tokens for API requests (App Store Server API), RFC 7515, RFC 7518.
package struct BearerTokens: Sendable {
  /// How long a token is good, in seconds. The store accepts up to an hour; a stolen token should
  /// be worth little.
  package static let lifeSeconds: Int64 = 5 * 60
  /// How long before its end a token is replaced, in seconds: longer than a request may take.
  package static let renewalSeconds: Int64 = 60
  static let audience = "appstoreconnect-v1"

  private let key: StoreKey
  private let keyID: String
  private let issuer: String
  private let bundleID: String
  private var current: (text: String, endsAt: Instant)?

  package init(key: StoreKey, keyID: String, issuer: String, bundleID: String) {
    (self.key, self.keyID, self.issuer, self.bundleID) = (key, keyID, issuer, bundleID)
  }

  /// A token that is good for at least ``renewalSeconds``.
  ///
  /// - Throws: ``PullError``: `badKey`.
  package mutating func token(at now: Instant) throws(PullError) -> String {
    let margin = Self.renewalSeconds * Instant.second
    let life = Self.lifeSeconds * Instant.second
    // A clock that was set back would make the token seem good for longer than the store says.
    if let current, current.endsAt.microseconds - now.microseconds > margin,
      current.endsAt.microseconds - now.microseconds <= life
    {
      return current.text
    }
    let issuedAt = now.microseconds / Instant.second
    let endsAt = issuedAt + Self.lifeSeconds
    let header = Self.object([
      ("alg", .string("ES256")), ("kid", .string(keyID)), ("typ", .string("JWT")),
    ])
    let claims = Self.object([
      ("iss", .string(issuer)), ("iat", .number("\(issuedAt)")), ("exp", .number("\(endsAt)")),
      ("aud", .string(Self.audience)), ("bid", .string(bundleID)),
    ])
    let signed = Base64URL.text(header) + "." + Base64URL.text(claims)
    let text = signed + "." + Base64URL.text(try key.signature(for: Array(signed.utf8)))
    current = (text, Instant(microseconds: endsAt * Instant.second))
    return text
  }

  /// A text without the current token: whoever gets it could use it.
  func blanked(_ text: String) -> String {
    guard let current else { return text }
    return text.replacing(current.text, with: "…")
  }

  private static func object(_ members: [(name: String, value: JSONValue)]) -> [UInt8] {
    JSONValue.object(members).json
  }
}

/// Base64 for URLs without padding (RFC 4648, RFC 7515).
package enum Base64URL {
  package static func text(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  /// The bytes of a text; nil if it is not base64 for URLs.
  package static func bytes(_ text: Substring) -> [UInt8]? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    let plain = String(text).replacing("-", with: "+").replacing("_", with: "/") + padding
    return Data(base64Encoded: plain).map { [UInt8]($0) }
  }
}
