internal import SwiftASN1

/// Reads the elements of a receipt, if there are not too many. The parser makes a list of all of
/// them before anybody looks at one, which takes a hundred times the size of the smallest.
enum ReceiptElements {
  /// - Throws: what the parser throws; ``SignedDataError`` of code `tooLarge` if there are more
  ///   than ``receiptElementsMax``.
  /// - Complexity: O(*n*) in the number of bytes.
  static func parse(_ bytes: ArraySlice<UInt8>) throws -> ASN1Node {
    guard !hasMore(than: receiptElementsMax, bytes) else {
      throw SignedDataError(
        .tooLarge, "the receipt has more than \(receiptElementsMax) elements of ASN.1 in one part",
        remedy: "The store writes no such receipts: do not believe this")
    }
    return try BER.parse(bytes)
  }

  /// Counts the elements in the order of their first bytes, in which the parser reads them: what
  /// stands in a constructed element comes right after its length. What no parser takes ends the
  /// count.
  static func hasMore(than max: Int, _ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    var count = 0
    while let tag = rest.popFirst() {
      if tag & 0x1F == 0x1F {
        // The number of a long tag ends with the first byte without the highest bit.
        while let byte = rest.popFirst(), byte & 0x80 != 0 {}
      }
      guard let length = length(&rest) else { return false }
      count += 1
      if count > max { return true }
      let isConstructed = tag & 0x20 != 0
      if !isConstructed {
        guard length <= rest.count else { return false }
        rest = rest.dropFirst(length)
      }
    }
    return false
  }

  /// Reads a length; that of an element without a stated one is 0.
  private static func length(_ rest: inout ArraySlice<UInt8>) -> Int? {
    guard let first = rest.popFirst() else { return nil }
    guard first & 0x80 != 0 else { return Int(first) }
    var length = 0
    for _ in 0..<(first & 0x7F) {
      guard let byte = rest.popFirst() else { return nil }
      length = length << 8 | Int(byte)
      guard length <= receiptBytesMax else { return nil }
    }
    return length
  }
}
