import Crypto

/// The private key with which App Store Connect lets a server call the App Store Server API.
///
/// It never leaves this type: neither a description nor a reflection of it contains the key.
///
/// Source: Creating API keys to authorize API requests (App Store Server API).
package struct StoreKey: Sendable, CustomStringConvertible, CustomReflectable {
  /// The number of bytes that are read of a key's file. The store's have about 250.
  package static let fileBytesMax = 16 * 1024

  private let key: P256.Signing.PrivateKey

  /// - Parameters:
  ///   - file: The contents of the `.p8` file: a PKCS #8 key for P-256 in PEM.
  ///   - name: The file's name, for messages.
  /// - Throws: ``PullError``: `badKey`.
  package init(file: [UInt8], name: String) throws(PullError) {
    let text = String(decoding: file, as: UTF8.self)
    guard text.contains("-----BEGIN PRIVATE KEY-----") else {
      throw PullError(
        .badKey,
        "\(name) is not a private key of App Store Connect: expected a .p8 file that begins with "
          + "-----BEGIN PRIVATE KEY-----, found \(Self.described(text)). Create a key for in-app "
          + "purchases in App Store Connect under Users and Access, Integrations, and download it.")
    }
    do { key = try P256.Signing.PrivateKey(pemRepresentation: text) } catch {
      // The error of the library is not quoted, because it could quote the file.
      throw PullError(
        .badKey,
        "\(name) cannot be read as a private key: expected PKCS #8 with a key for P-256, as App "
          + "Store Connect gives it. Download it again, or check that the file is complete.")
    }
  }

  private static func described(_ text: String) -> String {
    if text.isEmpty { return "an empty file" }
    let marks = [
      ("-----BEGIN EC PRIVATE KEY-----", "a key in the form of SEC 1"),
      ("-----BEGIN ENCRYPTED PRIVATE KEY-----", "an encrypted key"),
      ("-----BEGIN PUBLIC KEY-----", "a public key"),
      ("-----BEGIN CERTIFICATE-----", "a certificate"),
    ]
    return marks.first { text.contains($0.0) }?.1 ?? "something else"
  }

  /// The identifier in the name that App Store Connect gives the file, such as
  /// `SubscriptionKey_2X9R4HXF34.p8`; nil for another name.
  package static func identifier(inFileName name: String) -> String? {
    guard name.hasSuffix(".p8"), let mark = name.lastIndex(of: "_") else { return nil }
    let kind = name[..<mark]
    guard ["AuthKey", "SubscriptionKey", "ApiKey"].contains(where: { kind == $0 }) else {
      return nil
    }
    let identifier = String(name[name.index(after: mark)...].dropLast(3))
    return identifier.isEmpty ? nil : identifier
  }

  /// The ES256 signature of RFC 7518: 32 bytes of r, then 32 bytes of s.
  func signature(for text: [UInt8]) throws(PullError) -> [UInt8] {
    do { return Array(try key.signature(for: SHA256.hash(data: text)).rawRepresentation) } catch {
      throw PullError(.badKey, "the bearer token cannot be signed with the private key.")
    }
  }

  package var description: String { "a private key" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
