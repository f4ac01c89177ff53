/// A decimal number for money. Sums are exact, and digits after the decimal point are kept as
/// written.
///
/// The number is `mantissa` divided by ten to the power of `scale`: 9.90 is 990 with a scale of 2.
public struct ExactDecimal: Sendable {
  /// The maximum number of digits on each side of the decimal point. Numbers within the limit can
  /// be added a million times, even those that are a fraction of a refunded price.
  public static let digitsMax = 12

  private var mantissa: Int128
  /// The number of digits after the decimal point.
  private(set) var scale: Int

  /// 0, without digits after the decimal point.
  public static let zero = ExactDecimal(mantissa: 0, scale: 0)

  private init(mantissa: Int128, scale: Int) {
    self.mantissa = mantissa
    self.scale = scale
  }

  public init(integer: Int64) { self.init(mantissa: Int128(integer), scale: 0) }

  /// Parses a price, `-?[0-9]+(\.[0-9]+)?`; `nil` for anything else, or for more than `digitsMax`
  /// digits on either side of the decimal point.
  ///
  /// - Complexity: O(*n*) in the length of `text`.
  public init?(_ text: String) {
    self.init(exactly: text)
    let limit = Self.power(Self.digitsMax + scale)
    guard scale <= Self.digitsMax, mantissa.magnitude < limit.magnitude else { return nil }
  }

  /// Parses a price, or the result of a calculation with prices; `nil` for anything else, or if it
  /// has more digits than any of those.
  ///
  /// - Complexity: O(*n*) in the length of `text`.
  public init?(exactly text: String) {
    let bytes = Array(text.utf8)
    let isNegative = bytes.first == UInt8(ascii: "-")
    let parts = bytes.dropFirst(isNegative ? 1 : 0)
      .split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isDigit) }), !parts.isEmpty else {
      return nil
    }
    let fraction = parts.count > 1 ? parts[1] : []
    guard fraction.count <= Self.scaleMax else { return nil }
    mantissa = 0
    scale = fraction.count
    for digit in parts[0] + fraction {
      let (tens, overflows) = mantissa.multipliedReportingOverflow(by: 10)
      let (sum, exceeds) = tens.addingReportingOverflow(Int128(digit & 0x0F))
      if overflows || exceeds { return nil }
      mantissa = sum
    }
    if isNegative { mantissa = -mantissa }
  }

  /// The digits after the decimal point of a part of a price: those of the price and of millionths
  /// of a percent.
  private static let scaleMax = digitsMax + 8

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  /// Adds a number exactly. Returns false without changing anything if the sum has too many digits.
  ///
  /// - Complexity: O(1).
  public mutating func add(_ other: ExactDecimal) -> Bool {
    let wide = max(scale, other.scale)
    guard let own = scaled(to: wide), let more = other.scaled(to: wide) else { return false }
    let (sum, overflows) = own.addingReportingOverflow(more)
    guard !overflows else { return false }
    mantissa = sum
    scale = wide
    return true
  }

  /// The exact part of the number for a percentage in millionths of one percent.
  ///
  /// Trailing zeros from the division are removed, down to the number's own scale.
  func part(percentMillionths: Int64) -> ExactDecimal {
    var part = ExactDecimal(mantissa: mantissa * Int128(percentMillionths), scale: scale + 8)
    while part.scale > scale, part.mantissa % 10 == 0 {
      part.mantissa /= 10
      part.scale -= 1
    }
    return part
  }

  /// The number with the opposite sign.
  ///
  /// - Complexity: O(1).
  public var negated: ExactDecimal { ExactDecimal(mantissa: -mantissa, scale: scale) }

  /// The exact product; `nil` if it has too many digits. Trailing zeros are removed, down to the
  /// number's own scale.
  ///
  /// - Complexity: O(1).
  public func multiplied(by other: ExactDecimal) -> ExactDecimal? {
    let (wide, overflows) = mantissa.multipliedReportingOverflow(by: other.mantissa)
    guard !overflows, scale + other.scale <= Self.productScaleMax else { return nil }
    var product = ExactDecimal(mantissa: wide, scale: scale + other.scale)
    while product.scale > scale, product.mantissa % 10 == 0 {
      product.mantissa /= 10
      product.scale -= 1
    }
    return product
  }

  /// The digits after the decimal point of a part of a price in another currency. Ten to this power
  /// still fits into 128 bits.
  private static let productScaleMax = scaleMax + digitsMax

  /// The number in millionths; `nil` if it is not a whole number of them, or exceeds 64 bits.
  public var millionths: Int64? {
    if scale <= 6 { return scaled(to: 6).flatMap { Int64(exactly: $0) } }
    let (whole, rest) = mantissa.quotientAndRemainder(dividingBy: Self.power(scale - 6))
    return rest == 0 ? Int64(exactly: whole) : nil
  }

  /// The number as money is written: with a decimal point only if digits follow it.
  public var text: String {
    let digits = String(mantissa.magnitude)
    let sign = mantissa < 0 ? "-" : ""
    guard scale > 0 else { return sign + digits }
    let padded = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
    return "\(sign)\(padded.dropLast(scale)).\(padded.suffix(scale))"
  }

  private func scaled(to wide: Int) -> Int128? {
    let (product, overflows) = mantissa.multipliedReportingOverflow(by: Self.power(wide - scale))
    return overflows ? nil : product
  }

  /// Ten to a power of at most 38, which fits.
  private static func power(_ exponent: Int) -> Int128 {
    (0..<exponent).reduce(1) { product, _ in product * 10 }
  }
}

extension ExactDecimal: Hashable {
  public static func == (left: ExactDecimal, right: ExactDecimal) -> Bool {
    let (small, large) = left.scale < right.scale ? (left, right) : (right, left)
    return small.scaled(to: large.scale) == large.mantissa
  }

  public func hash(into hasher: inout Hasher) {
    var (mantissa, scale) = (mantissa, scale)
    while scale > 0, mantissa % 10 == 0 {
      mantissa /= 10
      scale -= 1
    }
    hasher.combine(mantissa)
    hasher.combine(mantissa == 0 ? 0 : scale)
  }
}

extension ExactDecimal: CustomStringConvertible {
  public var description: String { text }
}
