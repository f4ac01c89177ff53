internal import Crypto
internal import Foundation
internal import LMDB

/// The secret of a webhook, and what it signs.
///
/// Source: Standard Webhooks 1.0.0, *Signature scheme*: `v1,` and the base64 of HMAC-SHA256 over
/// id, time in seconds and body, joined by full stops, with a key of 24 to 64 bytes.
package enum MessageSignature {
  static let secretBytes = 32
  private static let prefix = "whsec_"

  /// - Throws: ``WebhookError``: `disk` if the system has no random numbers.
  static func newSecret() throws(WebhookError) -> [UInt8] {
    do throws(LMDBError) { return try systemEntropy(byteCount: secretBytes) } catch {
      throw WebhookError(.disk, "no secret can be made: \(error)")
    }
  }

  /// A secret as its holder gets it.
  static func text(of secret: [UInt8]) -> String { prefix + Data(secret).base64EncodedString() }

  /// The header of a message.
  ///
  /// - Parameters:
  ///   - id: The id of the message.
  ///   - seconds: The time of the attempt.
  ///   - secrets: Those that are valid, the newest first.
  package static func header(
    _ id: String, at seconds: Int64, _ body: String, _ secrets: [[UInt8]]
  ) -> String {
    let signed = Data("\(id).\(seconds).\(body)".utf8)
    return secrets.map { secret in
      let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: secret))
      return "v1," + Data(code).base64EncodedString()
    }.joined(separator: " ")
  }
}
