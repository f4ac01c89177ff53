/// Reads the XML of a table of contents once and adds up what its entries will cost.
///
/// It understands tags, quotes and text. It rejects everything else: declarations, comments and
/// CDATA, which no xar writer produces.
struct XarTableScan {
  /// The most bytes that entries and their paths may take in memory.
  private static let weightBytesMax = 512 << 20
  /// About how many bytes libarchive keeps for an entry or an extended attribute.
  private static let entryBytes = 400
  /// The deepest nesting of folders. Accepted paths have at most 1,000 bytes.
  private static let depthMax = 600
  /// The longest text between two tags, in bytes.
  private static let textBytesMax = 1 << 16
  private static let tagNameBytesMax = 8

  private var isTag = false
  private var quote: UInt8 = 0
  private var last: UInt8 = 0
  private var tagBytes = 0
  private var tagName: [UInt8] = []
  private var isNameEnded = false
  private var textBytes = 0
  private var weight = 0
  /// The length in bytes of the path of each open entry.
  private var open: [Int] = []

  /// What is wrong with the table, in words; nil if nothing so far.
  mutating func problem(in bytes: ArraySlice<UInt8>) -> String? {
    for byte in bytes {
      if byte == 0 { return "its table of contents is no XML in UTF-8" }
      if !isTag {
        if byte == UInt8(ascii: "<") {
          isTag = true
          tagBytes = 0
          tagName.removeAll(keepingCapacity: true)
          isNameEnded = false
          last = 0
          continue
        }
        textBytes += 1
        if textBytes > Self.textBytesMax {
          return "its table of contents holds a text of more than \(Self.textBytesMax) bytes"
        }
        continue
      }
      if let problem = takeTag(byte) { return problem }
    }
    return nil
  }

  private mutating func takeTag(_ byte: UInt8) -> String? {
    tagBytes += 1
    if tagBytes == 1, byte == UInt8(ascii: "!") {
      return "its table of contents holds a declaration, a comment or CDATA"
    }
    if quote != 0 {
      if byte == quote { quote = 0 }
      return nil
    }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      quote = byte
      isNameEnded = true
    case UInt8(ascii: ">"):
      isTag = false
      let problem = endTag(isEmpty: last == UInt8(ascii: "/"))
      textBytes = 0
      return problem
    case UInt8(ascii: "a")...UInt8(ascii: "z"):
      if !isNameEnded, tagName.count < Self.tagNameBytesMax { tagName.append(byte) }
    case UInt8(ascii: "/") where tagBytes == 1:
      tagName.append(byte)
    default:
      isNameEnded = true
    }
    last = byte
    return nil
  }

  private mutating func endTag(isEmpty: Bool) -> String? {
    switch tagName {
    case Array("file".utf8):
      weight += Self.entryBytes
      if !isEmpty { open.append(open.last ?? 0) }
    case Array("/file".utf8):
      _ = open.popLast()
    case Array("ea".utf8):
      weight += Self.entryBytes
    case Array("/name".utf8):
      guard let own = open.indices.last else { break }
      open[own] = (own > 0 ? open[own - 1] : 0) + textBytes + 1
      weight += open[own]
    default:
      break
    }
    if open.count > Self.depthMax { return "its folders lie deeper than \(Self.depthMax)" }
    if weight > Self.weightBytesMax { return "its table of contents holds too many entries" }
    return nil
  }
}
