public import LedgerEvents

/// How content versions compare (`model.md` 18): part by part, between the dots. A missing part
/// counts as 0. A part that is not an integer sorts after every integer and compares by its bytes.
public enum VersionOrder {
  /// Returns a negative number, zero or a positive number if `left` is lower than, equal to or
  /// higher than `right`. Integers of any length compare by value.
  ///
  /// - Complexity: O(*n*) in the length of both.
  public static func compare(_ left: Name, _ right: Name) -> Int {
    if left == right { return 0 }
    var leftParts = Parts(left)
    var rightParts = Parts(right)
    while true {
      let leftPart = leftParts.next()
      let rightPart = rightParts.next()
      if leftPart == nil && rightPart == nil { return 0 }
      let order = comparePart(leftPart ?? zero, rightPart ?? zero)
      if order != 0 { return order }
    }
  }

  /// The bytes that are the same for two versions if and only if they are equal: each part with a
  /// dot behind it, integers without leading zeros, and without zeros at the end.
  ///
  /// - Complexity: O(*n*) in the length.
  static func canonical(_ version: Name) -> [UInt8] {
    var parts = Parts(version)
    var bytes: [UInt8] = []
    // The length up to the last part that is not 0.
    var end = 0
    while let part = parts.next() {
      let isInteger = isInteger(part)
      let digits = isInteger ? part.drop { $0 == UInt8(ascii: "0") } : part
      let isZero = isInteger && digits.isEmpty
      bytes += isZero ? zero : digits
      bytes.append(UInt8(ascii: "."))
      if !isZero { end = bytes.count }
    }
    return Array(bytes[..<end])
  }

  private static let zero: ArraySlice<UInt8> = [UInt8(ascii: "0")]

  private static func comparePart(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
    switch (isInteger(left), isInteger(right)) {
    case (true, false): return -1
    case (false, true): return 1
    case (false, false): return compareBytes(left, right)
    case (true, true):
      let leftDigits = left.drop { $0 == UInt8(ascii: "0") }
      let rightDigits = right.drop { $0 == UInt8(ascii: "0") }
      if leftDigits.count != rightDigits.count {
        return leftDigits.count < rightDigits.count ? -1 : 1
      }
      return compareBytes(leftDigits, rightDigits)
    }
  }

  private static func compareBytes(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
    if left.elementsEqual(right) { return 0 }
    return left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  private static func isInteger(_ part: ArraySlice<UInt8>) -> Bool {
    !part.isEmpty && part.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }

  /// The parts between the dots, one after another.
  private struct Parts {
    let bytes: [UInt8]
    var start = 0
    var ended = false

    init(_ version: Name) { bytes = Array(version.text.utf8) }

    mutating func next() -> ArraySlice<UInt8>? {
      if ended { return nil }
      let end = bytes[start...].firstIndex(of: UInt8(ascii: ".")) ?? bytes.count
      defer {
        ended = end == bytes.count
        start = end + 1
      }
      return bytes[start..<end]
    }
  }
}
