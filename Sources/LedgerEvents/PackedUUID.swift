/// A UUID in lower case, such as most events have as their id, as sixteen bytes instead of 36.
///
/// Eight digits are converted at a time, because each event is packed when it is appended, and
/// unpacked when its id is indexed.
struct PackedUUID: Hashable {
  /// The first eight bytes, the first one highest.
  var high: UInt64
  /// The last eight bytes, the first one highest.
  var low: UInt64

  /// The length of the text in bytes.
  static let textBytes = 36

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads a UUID; `nil` for any other text, and for one with capital letters.
  ///
  /// - Complexity: O(1).
  init?(_ text: Span<UInt8>) {
    let dash = UInt8(ascii: "-")
    guard text.count == PackedUUID.textBytes,
      text[8] == dash, text[13] == dash, text[18] == dash, text[23] == dash,
      let first = HexDigits.value(load64(text, 0)),
      let second = HexDigits.value(HexDigits.joined(load32(text, 9), load32(text, 14))),
      let third = HexDigits.value(HexDigits.joined(load32(text, 19), load32(text, 24))),
      let fourth = HexDigits.value(load64(text, 28))
    else { return nil }
    high = UInt64(first) << 32 | UInt64(second)
    low = UInt64(third) << 32 | UInt64(fourth)
  }

  /// Appends the text.
  ///
  /// - Complexity: O(1).
  func append(to text: inout [UInt8]) {
    let dash = UInt8(ascii: "-")
    let second = HexDigits.text(UInt32(truncatingIfNeeded: high))
    let third = HexDigits.text(UInt32(truncatingIfNeeded: low >> 32))
    text.append(addingCapacity: PackedUUID.textBytes) { out in
      out.append(littleEndian: HexDigits.text(UInt32(truncatingIfNeeded: high >> 32)))
      out.append(dash)
      out.append(littleEndian: UInt32(truncatingIfNeeded: second))
      out.append(dash)
      out.append(littleEndian: UInt32(truncatingIfNeeded: second >> 32))
      out.append(dash)
      out.append(littleEndian: UInt32(truncatingIfNeeded: third))
      out.append(dash)
      out.append(littleEndian: UInt32(truncatingIfNeeded: third >> 32))
      out.append(littleEndian: HexDigits.text(UInt32(truncatingIfNeeded: low)))
    }
  }

  /// The first eight bytes of the text, the first one highest.
  var prefix: UInt64 { HexDigits.text(UInt32(truncatingIfNeeded: high >> 32)).byteSwapped }
}

/// Eight digits in one word, the first one in its lowest byte. All eight are converted at once by
/// arithmetic on the whole word.
private enum HexDigits {
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  static func joined(_ first: UInt32, _ second: UInt32) -> UInt64 {
    UInt64(first) | UInt64(second) << 32
  }

  /// The digits of a number.
  static func text(_ number: UInt32) -> UInt64 {
    // A byte into every second byte, then a half of it into each.
    var word = UInt64(number.byteSwapped)
    word = (word | word << 16) & 0x0000_FFFF_0000_FFFF
    word = (word | word << 8) & 0x00FF_00FF_00FF_00FF
    return letters((word >> 4) & 0x000F_000F_000F_000F | (word & 0x000F_000F_000F_000F) << 8)
  }

  /// The number that eight digits in lower case say; `nil` if one of them is something else.
  static func value(_ digits: UInt64) -> UInt32? {
    // The low half of a digit is its value, and of a letter (bit 6) its value less nine.
    // In Swift, & and * have the same precedence.
    let values = (digits & (0x0F * ones)) &+ (digits >> 6 & ones) &* 9
    guard values & (0xF0 * ones) == 0, letters(values) == digits else { return nil }
    var word = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
    word = (word | word >> 8) & 0x0000_FFFF_0000_FFFF
    word |= word >> 16
    return UInt32(truncatingIfNeeded: word).byteSwapped
  }

  /// The digits of eight values from 0 to 15.
  private static func letters(_ values: UInt64) -> UInt64 {
    // The highest bit of each byte says whether its value is ten or more.
    let isLetter = (values &+ 0x76 * ones) >> 7 & ones
    let gap = UInt64(UInt8(ascii: "a") - 10 - UInt8(ascii: "0"))
    return values &+ UInt64(UInt8(ascii: "0")) * ones &+ isLetter &* gap
  }
}
