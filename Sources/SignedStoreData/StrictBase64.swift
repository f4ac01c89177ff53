/// Base64 in its one canonical form: no spaces, no missing or superfluous padding, and no bits
/// behind the last byte (RFC 4648, 3.5). So no two texts are the same bytes.
enum StrictBase64 {
  /// An alphabet, and whether texts are padded.
  enum Alphabet {
    /// With `+`, `/` and padding, as certificates have it (RFC 4648, 4).
    case padded
    /// With `-`, `_` and without padding, as the parts of a JWS have it (RFC 7515, 2).
    case url
  }

  /// Returns the bytes of a text; nil if it is not the canonical form of any bytes.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  static func decode(_ text: Span<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
    var count = text.count
    if alphabet == .padded {
      guard count % 4 == 0 else { return nil }
      for _ in 0..<2 where count > 0 && text[count - 1] == UInt8(ascii: "=") { count -= 1 }
    }
    guard count % 4 != 1 else { return nil }
    let values = alphabet == .padded ? paddedValues : urlValues
    var bits: UInt32 = 0
    // The values of letters have six bits; any other byte sets one above them.
    var seen: UInt8 = 0
    var bytes: [UInt8] = []
    bytes.append(addingCapacity: count / 4 * 3 + 2) { out in
      var at = 0
      while at &+ 4 <= count {
        let first = values[Int(text[at])]
        let second = values[Int(text[at &+ 1])]
        let third = values[Int(text[at &+ 2])]
        let fourth = values[Int(text[at &+ 3])]
        seen |= first | second | third | fourth
        out.append(first << 2 | second >> 4 & 0x03)
        out.append(second << 4 | third >> 2 & 0x0F)
        out.append(third << 6 | fourth & 0x3F)
        at &+= 4
      }
      for index in at..<count {
        let value = values[Int(text[index])]
        seen |= value
        bits = bits << 6 | UInt32(value & 0x3F)
      }
      switch count - at {
      case 2:
        out.append(UInt8(bits >> 4))
        bits &= 0x0F
      case 3:
        out.append(UInt8(bits >> 10))
        out.append(UInt8(bits >> 2 & 0xFF))
        bits &= 0x03
      default: break
      }
    }
    return seen < other && bits == 0 ? bytes : nil
  }

  /// The value of a byte that is not in the alphabet.
  private static let other: UInt8 = 0x40

  private static let paddedValues = values("+/")
  private static let urlValues = values("-_")

  private static func values(_ last: String) -> [UInt8] {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last
    var values = [UInt8](repeating: other, count: 256)
    for (value, letter) in letters.utf8.enumerated() { values[Int(letter)] = UInt8(value) }
    return values
  }
}
