/// UUIDs of version 7 (RFC 9562, 5.7): 48 bits of milliseconds since 1970, then random bits. They
/// sort by time, and contain nothing about a person or a device.
enum UUIDv7 {
  /// - Parameter random: Two random numbers. Six of their 128 bits give way to version and variant,
  ///   48 to the time.
  static func make(at time: Timestamp, random: (UInt64, UInt64)) -> String {
    let milliseconds = UInt64(max(0, time.microseconds)) / 1_000
    let high = milliseconds << 16 | 0x7000 | random.0 & 0x0FFF
    let low = 0x8000_0000_0000_0000 | random.1 & 0x3FFF_FFFF_FFFF_FFFF
    let digits = hex(high) + hex(low)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return text
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
