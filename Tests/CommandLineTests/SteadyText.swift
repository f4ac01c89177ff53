import Foundation

/// Replaces keys, hashes, signatures and times by samples. Equal values get the same sample and
/// different values different ones, so that a page still shows which roots are equal. A hash has
/// one sample, whether it is written in hexadecimal digits or in base64.
struct SteadyText {
  private var samples: [String: String] = [:]
  private var originals: [String: String] = [:]
  /// The hashes found so far, numbered in order of first appearance.
  private var hashes: [Data: Int] = [:]

  /// Returns the text that this sample replaces, or the text itself.
  func original(_ sample: String) -> String {
    originals.reduce(sample) { $0.replacing($1.key, with: $1.value) }
  }

  mutating func replacing(_ text: String) -> String {
    var text = text.replacing(/"recordedAt":"[^"]*"/, with: #""recordedAt":"2026-02-01T12:00:00Z""#)
      .replacing(/(cosigned by [^ ]+ at )[0-9TZ:.\-]+/) { "\($0.output.1)\(Self.time)" }
      .replacing(/("time":")[0-9TZ:.\-]+"/) { "\($0.output.1)\(Self.time)\"" }
      .replacing(/extra [A-Za-z0-9+\/=]+/, with: "extra eyJmb3JtYXQiOiJkYXlib29rL2V2ZW50QHYxIiwi…")
    let digits = 2 * Self.hashBytes
    text = replacing(in: text, /(?:root |"root":")[0-9a-f]{64}/) { steady, found in
      let hash = Self.bytes(ofDigits: String(found.suffix(digits)))
      return found.dropLast(digits) + steady.sample(of: hash).map(Self.digits).joined()
    }
    text = replacing(in: text, /\+[0-9a-f]{8}\+[A-Za-z0-9+\/]{44}/) { steady, found in
      let number = steady.samples.count + 1
      // The first letter of the key says whether it is a ledger's or a witness's.
      let kind = found.dropFirst(10).prefix(1)
      return "+\(Self.letters("0123456789abcdef", 8, number))+\(kind)"
        + Self.letters(Self.base64, 43, number)
    }
    // The id of a key without the key.
    let keys = samples
    text = text.replacing(/\+[0-9a-f]{8}(?![0-9a-f+])/) { match in
      let key = keys.first { $0.key.hasPrefix(match.output + "+") }
      return key.map { String($0.value.prefix(match.output.count)) } ?? String(match.output)
    }
    // Cosignatures are longer than signatures, and these than hashes.
    return replacing(
      in: text, /[A-Za-z0-9+\/]{102}==|[A-Za-z0-9+\/]{91}=|[A-Za-z0-9+\/]{43}=/
    ) { steady, found in
      if let hash = Data(base64Encoded: found), hash.count == Self.hashBytes {
        return steady.sample(of: hash).base64EncodedString()
      }
      let padding = found.hasSuffix("==") ? "==" : "="
      return Self.letters(Self.base64, found.count - padding.count, steady.samples.count + 1)
        + padding
    }
  }

  private mutating func replacing(
    in text: String, _ expression: Regex<Substring>,
    with sample: (inout SteadyText, String) -> String
  ) -> String {
    var replaced = ""
    var rest = text[...]
    while let match = rest.firstMatch(of: expression) {
      replaced += rest[..<match.range.lowerBound]
      let found = String(match.output)
      let stands = samples[found] ?? sample(&self, found)
      (samples[found], originals[stands]) = (stands, found)
      replaced += stands
      rest = rest[match.range.upperBound...]
    }
    return replaced + rest
  }

  // MARK: - Samples

  private static let hashBytes = 32
  private static let time = "2026-02-01T12:00:00Z"
  private static let base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  private mutating func sample(of hash: Data) -> Data {
    let number = hashes[hash] ?? hashes.count + 1
    hashes[hash] = number
    return Data(Self.bytes(ofDigits: Self.letters("0123456789abcdef", 2 * Self.hashBytes, number)))
  }

  private static func bytes(ofDigits text: String) -> Data {
    let digits = text.compactMap(\.hexDigitValue)
    return Data(
      stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }

  private static func digits(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// Returns `count` letters, different for each number.
  private static func letters(_ alphabet: String, _ count: Int, _ number: Int) -> String {
    let alphabet = Array(alphabet)
    var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
    return String(
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return alphabet[Int(state >> 33) % alphabet.count]
      })
  }
}
