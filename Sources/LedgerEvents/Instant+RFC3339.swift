extension Instant {
  /// Parses an RFC 3339 time, such as `2014-03-05T10:00:01.25+01:00`. Returns `nil` if `text` is
  /// not one.
  ///
  /// Digits beyond microseconds are truncated. A leap second, 23:59:60 in UTC, becomes the first
  /// second of the next day, because instants do not count leap seconds (nor does POSIX time). The
  /// year is 0000 to 9999 here; in the envelope it is 1970 or later.
  ///
  /// - Complexity: O(*n*) in the length of `text`.
  public init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    guard let instant = Instant(rfc3339: bytes.span, 0..<bytes.count) else { return nil }
    self = instant
  }

  /// Parses an RFC 3339 time in a part of `bytes`.
  init?(rfc3339 bytes: Span<UInt8>, _ range: Range<Int>) {
    var reader = DigitReader(bytes, range)
    guard range.count >= 20,
      let year = reader.number(4), reader.take("-"),
      let month = reader.number(2), reader.take("-"),
      let day = reader.number(2), reader.take("T") || reader.take("t"),
      let hour = reader.number(2), reader.take(":"),
      let minute = reader.number(2), reader.take(":"),
      let second = reader.number(2)
    else { return nil }
    guard month >= 1, month <= 12, day >= 1, day <= Calendar.days(inMonth: month, of: year),
      hour <= 23, minute <= 59, second <= 60
    else { return nil }
    var fraction: Int64 = 0
    if reader.take(".") {
      guard let digits = reader.fraction() else { return nil }
      fraction = digits
    }
    guard let offset = reader.offset(), reader.isAtEnd else { return nil }
    let days = Calendar.days(year: year, month: month, day: day)
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    if second == 60 {
      // A leap second comes only after 23:59:59 in UTC. The sum above is already the next day's
      // first second.
      guard seconds.quotientAndRemainder(dividingBy: 86_400).remainder == 0 else { return nil }
    }
    self.init(microseconds: seconds * Instant.second + fraction)
  }

  /// The time in UTC with `Z` and as many fractional digits as it needs, up to six:
  /// `2014-03-05T10:00:01Z`, `2014-03-05T10:00:01.25Z`.
  ///
  /// - Precondition: The year is 0000 to 9999. A time that was parsed can be outside of it by its
  ///   offset.
  public var rfc3339: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(27)
    appendRFC3339(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// - Parameter minimumDigits: The minimum number of fractional digits: 0 or 3.
  func appendRFC3339(minimumDigits: Int = 0, to bytes: inout [UInt8]) {
    let (days, time) = Calendar.floorDivide(microseconds, Instant.day)
    let date = Calendar.date(days: days)
    precondition((0...9_999).contains(date.year), "RFC 3339 cannot write this year")
    appendDigits(date.year, 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    appendDigits(date.month, 2, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    appendDigits(date.day, 2, to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    let seconds = time / Instant.second
    appendDigits(seconds / 3_600, 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    appendDigits(seconds / 60 % 60, 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    appendDigits(seconds % 60, 2, to: &bytes)
    var fraction = time % Instant.second
    if fraction != 0 || minimumDigits > 0 {
      var width = 6
      while width > minimumDigits && fraction % 10 == 0 {
        fraction /= 10
        width -= 1
      }
      bytes.append(UInt8(ascii: "."))
      appendDigits(fraction, width, to: &bytes)
    }
    bytes.append(UInt8(ascii: "Z"))
  }
}

/// Appends a nonnegative number with `width` digits.
func appendDigits(_ number: Int64, _ width: Int, to bytes: inout [UInt8]) {
  let start = bytes.count
  bytes.append(addingCapacity: width) { out in
    for _ in 0..<width { out.append(UInt8(ascii: "0")) }
  }
  var rest = UInt64(number)
  var index = start + width
  while rest > 0 && index > start {
    index -= 1
    bytes[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
    rest /= 10
  }
}

/// Reads fixed-width digits from a part of borrowed bytes.
struct DigitReader: ~Escapable {
  let bytes: Span<UInt8>
  var index: Int
  let end: Int

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    self.bytes = bytes
    self.index = range.lowerBound
    self.end = range.upperBound
  }

  var isAtEnd: Bool { index == end }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard index < end, bytes[index] == UInt8(ascii: scalar) else { return false }
    index += 1
    return true
  }

  /// Reads a number of exactly `width` digits.
  mutating func number(_ width: Int) -> Int64? {
    guard end - index >= width else { return nil }
    var number: Int64 = 0
    for _ in 0..<width {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      number = number * 10 + Int64(digit)
      index += 1
    }
    return number
  }

  /// Reads a fraction of one or more digits, in microseconds; further digits are dropped.
  mutating func fraction() -> Int64? {
    var fraction: Int64 = 0
    var width = 0
    while index < end, isDigit(bytes[index]) {
      if width < 6 { fraction = fraction * 10 + Int64(bytes[index] - UInt8(ascii: "0")) }
      width += 1
      index += 1
    }
    guard width > 0 else { return nil }
    for _ in min(width, 6)..<6 { fraction *= 10 }
    return fraction
  }

  /// Reads `Z` or `+hh:mm` and returns the offset in seconds.
  mutating func offset() -> Int64? {
    if take("Z") || take("z") { return 0 }
    let isNegative = take("-")
    guard isNegative || take("+"), let hours = number(2), hours <= 23, take(":"),
      let minutes = number(2), minutes <= 59
    else { return nil }
    let seconds = hours * 3_600 + minutes * 60
    return isNegative ? -seconds : seconds
  }
}
