import LedgerEvents

/// The elements of a JSON array as text, found without building their values: of a body of the
/// largest size, the values would take thirty times its room.
struct JSONElements {
  /// What is found where the text is no array.
  struct NoArray: Error {}

  private let bytes: [UInt8]
  private var index: Int
  private var hasEnded = false

  /// - Throws: ``NoArray``.
  init(_ bytes: [UInt8]) throws(NoArray) {
    self.bytes = bytes
    index = bytes.firstIndex { !Self.isSpace($0) } ?? bytes.endIndex
    guard index < bytes.endIndex, bytes[index] == UInt8(ascii: "[") else { throw NoArray() }
    index += 1
    let first = bytes[index...].firstIndex { !Self.isSpace($0) }
    if let first, bytes[first] == UInt8(ascii: "]") { try end(first) }
  }

  /// The text of the next element, which may be anything between commas; nil after the last one.
  ///
  /// - Complexity: O(*n*) in the length of the element.
  /// - Throws: ``NoArray`` if the array does not end, or something follows it.
  mutating func next() throws(NoArray) -> ArraySlice<UInt8>? {
    if hasEnded { return nil }
    let start = index
    var depth = 0
    var isText = false
    while index < bytes.endIndex {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\\") where isText: index += 1
      case UInt8(ascii: "\""): isText.toggle()
      case _ where isText: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]") where depth == 0:
        let element = bytes[start..<index]
        try end(index)
        return element
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        index += 1
        return bytes[start..<(index - 1)]
      default: break
      }
      index += 1
    }
    throw NoArray()
  }

  private mutating func end(_ bracket: Int) throws(NoArray) {
    hasEnded = true
    guard bytes[(bracket + 1)...].allSatisfy(Self.isSpace) else { throw NoArray() }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
