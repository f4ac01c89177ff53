/// Reads JSON numbers from their text.
package enum JSONNumber {
  /// Reads an integer. Returns `nil` for a number with a fraction or exponent, for `-0`, and beyond
  /// 64 bits.
  static func integer(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int64? {
    var at = range.lowerBound
    let isNegative = at < range.upperBound && bytes[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    guard at < range.upperBound else { return nil }
    var number: Int64 = 0
    while at < range.upperBound {
      let digit = bytes[at] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      let (tens, overflowed) = number.multipliedReportingOverflow(by: 10)
      // Counts downwards, because the lowest 64-bit integer has no positive counterpart.
      let (sum, exceeded) = tens.subtractingReportingOverflow(Int64(digit))
      guard !overflowed, !exceeded else { return nil }
      number = sum
      at += 1
    }
    if isNegative { return number == 0 ? nil : number }
    return number == .min ? nil : -number
  }

  /// Reads a number in millionths, dropping further digits. Returns `nil` beyond 64 bits.
  static func millionths(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int64? {
    var at = range.lowerBound
    let isNegative = at < range.upperBound && bytes[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    var number: Int64 = 0
    var decimals: Int?
    while at < range.upperBound, decimals ?? 0 < 6 {
      let byte = bytes[at]
      at += 1
      if byte == UInt8(ascii: ".") && decimals == nil {
        decimals = 0
        continue
      }
      guard isDigit(byte) else { return slowMillionths(bytes, range) }
      let (tens, overflowed) = number.multipliedReportingOverflow(by: 10)
      let (sum, exceeded) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      guard !overflowed, !exceeded else { return nil }
      number = sum
      decimals = decimals.map { $0 + 1 }
    }
    while at < range.upperBound {
      guard isDigit(bytes[at]) else { return slowMillionths(bytes, range) }
      at += 1
    }
    for _ in (decimals ?? 0)..<6 {
      let (tens, overflowed) = number.multipliedReportingOverflow(by: 10)
      guard !overflowed else { return nil }
      number = tens
    }
    return isNegative ? -number : number
  }

  /// Reads a number with an exponent through a double, rounded to the nearest millionth.
  private static func slowMillionths(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int64? {
    let millionths = slowDouble(bytes, range) * 1_000_000
    guard millionths.magnitude < 0x1p62 else { return nil }
    return Int64(millionths + (millionths < 0 ? -0.5 : 0.5))
  }

  /// Reads a number as the nearest double; infinity beyond the range of doubles.
  ///
  /// Up to fifteen digits with a power of ten within ±22 need one exact division or multiplication
  /// (Clinger, *How to Read Floating Point Numbers Accurately*, 1990). Other numbers are left to
  /// the standard library.
  static func double(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Double {
    var at = range.lowerBound
    let isNegative = at < range.upperBound && bytes[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    var digits: Int64 = 0
    var count = 0
    var decimals = 0
    var isFraction = false
    while at < range.upperBound {
      let byte = bytes[at]
      if byte == UInt8(ascii: ".") && !isFraction {
        isFraction = true
      } else if isDigit(byte) && count < 15 {
        digits = digits * 10 + Int64(byte - UInt8(ascii: "0"))
        count += digits == 0 ? 0 : 1
        decimals += isFraction ? 1 : 0
      } else {
        return slowDouble(bytes, range)
      }
      at += 1
    }
    guard decimals <= 22 else { return slowDouble(bytes, range) }
    let magnitude = Double(digits) / powersOfTen[decimals]
    return isNegative ? -magnitude : magnitude
  }

  private static func slowDouble(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Double {
    var text = ""
    for index in range { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    return Double(text) ?? .nan
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}

extension JSONNumber {
  /// Whether text is a decimal number without exponent: `-?[0-9]+(\.[0-9]+)?`.
  package static func isDecimal(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var at = range.lowerBound
    if at < range.upperBound, bytes[at] == UInt8(ascii: "-") { at += 1 }
    let whole = at
    while at < range.upperBound, isDigit(bytes[at]) { at += 1 }
    guard at > whole else { return false }
    guard at < range.upperBound else { return true }
    guard bytes[at] == UInt8(ascii: ".") else { return false }
    at += 1
    let fraction = at
    while at < range.upperBound, isDigit(bytes[at]) { at += 1 }
    return at > fraction && at == range.upperBound
  }
}
