internal import Crypto
internal import LedgerEvents

/// An event's id made of what the event says, so that the same said twice is one event.
enum DerivedIdentifier {
  /// `prefix:` and the SHA-256 of the parts in hexadecimal digits; each part with its length before
  /// it, so that no two lists of parts are one text.
  ///
  /// - Complexity: O(*n*) in the length of the parts.
  static func name(_ prefix: String, _ parts: [String?]) -> Name {
    var hash = SHA256()
    for part in parts {
      let text = part.map { "\($0.utf8.count):\($0)" } ?? "-:"
      hash.update(data: Array(text.utf8))
    }
    let digits = hash.finalize().map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return Name("\(prefix):\(digits.joined())")
  }
}
