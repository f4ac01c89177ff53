internal import Crypto

/// The text of a token, which only its holder has: `daybook_`, a public id of 8 characters, `_`,
/// and 43 characters of base64url (RFC 4648, section 5, without padding) of 32 random bytes.
///
/// The beginning is there for programs that look for secrets in sources and logs. They find every
/// token by ``pattern``.
package enum TokenText {
  /// The regular expression that all tokens match, and hardly anything else.
  package static let pattern = "daybook_[a-z2-7]{8}_[A-Za-z0-9_-]{43}"

  static let prefix = "daybook_"
  static let idCount = 8
  static let secretBytes = 32
  static let secretCount = 43
  /// The length of every token, in characters and bytes.
  static let count = prefix.utf8.count + idCount + 1 + secretCount

  /// The letters of base32 (RFC 4648, section 6) in lower case: an id has no `_`, and is read out
  /// without mistakes.
  private static let idLetters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
  private static let idLetterBits = 5

  /// Makes an id of the system's random numbers.
  static func newID() -> String {
    var random = randomWord()
    var id: [UInt8] = []
    for _ in 0..<idCount {
      id.append(idLetters[Int(random % UInt64(idLetters.count))])
      random >>= UInt64(idLetterBits)
    }
    return String(decoding: id, as: UTF8.self)
  }

  /// Makes the text of a token of the system's random numbers.
  static func new(id: String) -> String {
    let text = prefix + id + "_" + newSecret()
    precondition(self.id(in: text) == id, "a token is read as it is written")
    return text
  }

  /// Makes 32 random bytes as ``secretCount`` characters of base64url.
  static func newSecret() -> String {
    var bytes: [UInt8] = []
    while bytes.count < secretBytes {
      let word = randomWord()
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    return Base64URL.encode(bytes)
  }

  /// The system's generator, called without an instance of it: that has no address, and the thread
  /// sanitizer wants one for whatever is passed `inout`.
  private static func randomWord() -> UInt64 { UInt64.random(in: .min ... .max) }

  /// Returns the id in a text that has the length and the separators of a token; nil for others.
  static func id(in text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.count == count, text.utf8.starts(with: prefix.utf8),
      bytes[prefix.utf8.count + idCount] == UInt8(ascii: "_")
    else { return nil }
    let id = bytes[prefix.utf8.count...].prefix(idCount)
    return isID(id) ? String(decoding: id, as: UTF8.self) : nil
  }

  /// Whether the bytes are an id.
  static func isID(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.count == idCount && bytes.allSatisfy(idLetters.contains)
  }

  /// Returns the SHA-256 of a token. The bytes are random, so they need no salt and no slow hash.
  static func hash(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

  /// Returns what only somebody who knows a secret can say about a text (HMAC, RFC 2104).
  static func seal(_ text: String, by secret: String) -> String {
    let key = SymmetricKey(data: Array(secret.utf8))
    return Base64URL.encode(
      Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)))
  }

  /// The length of ``hash(_:)`` in bytes.
  static let hashBytes = 32

  /// Returns whether two hashes are equal. Every byte is compared, wherever the first difference
  /// is, so that the time tells nothing.
  ///
  /// - Precondition: Both have ``hashBytes`` bytes.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    precondition(left.count == hashBytes && right.count == hashBytes, "both are SHA-256")
    var difference: UInt8 = 0
    for index in 0..<hashBytes { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
