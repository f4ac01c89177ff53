package import LedgerEvents

extension Name {
  /// A UUID of version 7, which sorts by time and reveals nothing about anybody.
  ///
  /// The random part comes from the system's generator. Foundation's `UUID()` reads `/dev/urandom`,
  /// and is all zeros without it, so that two events of one millisecond would have the same id.
  ///
  /// Source: RFC 9562, section 5.7.
  ///
  /// - Parameter now: The present.
  package static func timedIdentifier(_ now: Instant) -> Name {
    let milliseconds = UInt64(max(0, now.microseconds / 1000))
    let high = milliseconds << 16 | 0x7000 | UInt64.random(in: 0...0xFFF)
    let low = 0x8000_0000_0000_0000 | UInt64.random(in: 0...0x3FFF_FFFF_FFFF_FFFF)
    let digits = hexadecimal(high) + hexadecimal(low)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return Name(text)
  }

  private static func hexadecimal(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
