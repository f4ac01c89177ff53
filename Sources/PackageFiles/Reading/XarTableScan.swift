/// Reads the XML of a table of contents once, byte by byte, and adds up the memory that its entries
/// will need.
///
/// The grammar is a small subset of XML, so that there is only one way to read a table: elements
/// with plain names, few attributes, text, and nothing else. Anything that writers of xar do not
/// produce is refused: declarations, comments, CDATA, processing instructions, prefixes, encodings
/// other than UTF-8, and two children with the same name in a `file`. libarchive joins such names
/// into one, and such hard links can form a cycle in which it never ends (seen in 3.6.2).
struct XarTableScan {
  /// The maximum number of bytes that entries and their paths may take in memory.
  private static let weightBytesMax = 512 << 20
  /// The approximate number of bytes that libarchive keeps for an entry or an extended attribute.
  private static let entryBytes = 400
  /// The maximum nesting of folders. Accepted paths have at most 1,000 bytes.
  private static let depthMax = 600
  /// The maximum nesting of elements: `xar` and `toc` above the folders, and a few levels below the
  /// last.
  private static let elementDepthMax = depthMax + 16
  /// The maximum length of the text between two tags, in bytes.
  private static let textBytesMax = 1 << 16
  /// The maximum length of a tag with its attributes, in bytes.
  private static let tagBytesMax = 4_096
  /// The maximum number of attributes of an element. libxml2 compares each with all before it.
  private static let attributesMax = 16

  /// An element that has not been closed yet.
  private struct Element {
    let name: [UInt8]
    /// Whether the element is a `file` or inside one.
    let isInFile: Bool
    /// The names of its children, if they must be unique.
    var children: Set<[UInt8]> = []
  }

  /// What a `data` or `checksum` element has stated so far about the location of its bytes in the
  /// heap.
  private struct Part {
    var algorithm: StatedChecksum.Algorithm?
    var digest: [UInt8] = []
    var offset: UInt64?
    var length: UInt64?
  }

  /// The maximum length of a text that is kept, in bytes: a SHA-512 in hexadecimal digits, with
  /// some room to spare.
  private static let keptTextBytesMax = 256

  private enum Names {
    static let data = Array("data".utf8)
    static let checksum = Array("checksum".utf8)
    static let archivedChecksum = Array("archived-checksum".utf8)
    static let offset = Array("offset".utf8)
    static let length = Array("length".utf8)
    static let table = Array("toc".utf8)
    static let file = Array("file".utf8)
    static let name = Array("name".utf8)
    static let attribute = Array("ea".utf8)
    static let type = Array("type".utf8)
  }

  private var isTag = false
  private var quote: UInt8 = 0
  /// The tag that is being read, without the `<`.
  private var tag: [UInt8] = []
  private var isAtStart = true
  private var textBytes = 0
  private var weight = 0
  private var elements: [Element] = []
  /// The length of the path of each open `file`, in bytes.
  private var paths: [Int] = []
  /// The identifiers of files that hard links can name, and those that hard links do name.
  private var identifiers: Set<[UInt8]> = []
  private var linked: Set<[UInt8]> = []
  private var part = Part()
  /// The text of the innermost element, up to the length that is kept.
  private var text: [UInt8] = []
  /// The checksums of files' data, with offsets in the heap. Each is listed once, even if several
  /// files share the data.
  private(set) var checksums: Set<StatedChecksum> = []
  /// The checksum of the table itself: its algorithm and its offset in the heap.
  private(set) var ofTable: (algorithm: StatedChecksum.Algorithm, offset: UInt64)?

  /// Reads the next bytes. Returns a description of the problem with the table; nil if there is
  /// none so far.
  mutating func problem(in bytes: ArraySlice<UInt8>) -> String? {
    for byte in bytes {
      if byte == 0 { return "its table of contents is not XML in UTF-8" }
      if let problem = isTag ? takeTag(byte) : takeText(byte) { return problem }
    }
    return nil
  }

  /// Returns a description of the problem with the table as a whole. Call this after its last byte.
  func problemAtEnd() -> String? {
    linked.isSubset(of: identifiers)
      ? nil : "its table of contents links to a file that does not exist"
  }

  private mutating func takeText(_ byte: UInt8) -> String? {
    if byte == UInt8(ascii: "<") {
      isTag = true
      tag.removeAll(keepingCapacity: true)
      return nil
    }
    textBytes += 1
    if text.count < Self.keptTextBytesMax { text.append(byte) }
    if textBytes > Self.textBytesMax {
      return "its table of contents has a text of more than \(Self.textBytesMax) bytes"
    }
    return nil
  }

  private mutating func takeTag(_ byte: UInt8) -> String? {
    if quote == 0, byte == UInt8(ascii: ">") {
      isTag = false
      let problem = endTag()
      textBytes = 0
      text.removeAll(keepingCapacity: true)
      isAtStart = false
      return problem
    }
    if quote != 0 {
      if byte == quote { quote = 0 }
    } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      quote = byte
    }
    tag.append(byte)
    if tag.count > Self.tagBytesMax {
      return "its table of contents has a tag of more than \(Self.tagBytesMax) bytes"
    }
    return nil
  }

  // MARK: - Tags

  private mutating func endTag() -> String? {
    switch tag.first {
    case UInt8(ascii: "?"): return declarationProblem()
    case UInt8(ascii: "!"):
      return "its table of contents has a declaration, a comment or CDATA"
    case UInt8(ascii: "/"):
      var name = tag[1...]
      while let last = name.last, Self.isSpace(last) { name.removeLast() }
      return close(name)
    default: break
    }
    let isEmpty = tag.last == UInt8(ascii: "/")
    let name = Array(tag.prefix { !Self.isSpace($0) && $0 != UInt8(ascii: "/") })
    guard Self.isPlain(name) else {
      return "its table of contents has an element whose name is not made of plain letters"
    }
    guard tag.count(where: { $0 == UInt8(ascii: "=") }) <= Self.attributesMax else {
      return
        "its table of contents has an element with more than \(Self.attributesMax) attributes"
    }
    if name == Names.file, let identifier = attribute("id") { identifiers.insert(identifier) }
    if name == Names.type, elements.last?.name == Names.file, let link = attribute("link"),
      link != Array("original".utf8)
    {
      linked.insert(link)
    }
    if name == Names.data || name == Names.checksum { part = Part() }
    if name == Names.archivedChecksum || name == Names.checksum, let style = attribute("style") {
      part.algorithm = StatedChecksum.Algorithm(
        rawValue: String(decoding: style, as: UTF8.self).lowercased())
    }
    if let problem = open(name) { return problem }
    return isEmpty ? close(name[...]) : nil
  }

  /// Returns the value of an attribute of the tag. An element with a repeated attribute is not
  /// valid XML.
  private func attribute(_ name: String) -> [UInt8]? {
    var rest = tag[...]
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      let stated = rest[..<equals].split(whereSeparator: Self.isSpace).last
      rest = rest[rest.index(after: equals)...].drop(while: Self.isSpace)
      guard let quote = rest.popFirst(), let end = rest.firstIndex(of: quote) else { return nil }
      if stated?.elementsEqual(name.utf8) == true { return Array(rest[..<end]) }
      rest = rest[rest.index(after: end)...]
    }
    return nil
  }

  /// Checks the XML declaration, which is the only processing instruction and must come first.
  private func declarationProblem() -> String? {
    let text = String(decoding: tag, as: UTF8.self).lowercased()
    guard isAtStart, textBytes == 0, text.hasPrefix("?xml "), text.hasSuffix("?") else {
      return "its table of contents has a processing instruction"
    }
    // libxml2 supports other encodings, in which `<` is a different byte.
    guard let encoding = text.firstRange(of: "encoding") else { return nil }
    let stated = text[encoding.upperBound...].drop { " =\"'".contains($0) }
    guard stated.hasPrefix("utf-8") || stated.hasPrefix("us-ascii") else {
      return "its table of contents is not XML in UTF-8"
    }
    return nil
  }

  private mutating func open(_ name: [UInt8]) -> String? {
    let isFile = name == Names.file
    if let parent = elements.last {
      if parent.isInFile, parent.name == Names.name {
        return "a name in its table of contents contains an element"
      }
      let mayRepeat = parent.name == Names.file && (isFile || name == Names.attribute)
      if parent.isInFile, !mayRepeat,
        !elements[elements.count - 1].children.insert(name).inserted
      {
        return "its table of contents states \(String(decoding: name, as: UTF8.self)) twice for a "
          + "file"
      }
    }
    elements.append(
      Element(name: name, isInFile: isFile || (elements.last?.isInFile ?? false)))
    if isFile {
      weight += Self.entryBytes
      paths.append(paths.last ?? 0)
    } else if name == Names.attribute {
      weight += Self.entryBytes
    }
    if elements.count > Self.elementDepthMax || paths.count > Self.depthMax {
      return "its folders are nested deeper than \(Self.depthMax)"
    }
    return weightProblem
  }

  private mutating func close(_ name: ArraySlice<UInt8>) -> String? {
    guard let element = elements.popLast(), element.name.elementsEqual(name) else {
      return "its table of contents is not XML: an end tag has no start tag"
    }
    if let problem = take(element.name, in: elements.last?.name) { return problem }
    if element.name == Names.file {
      paths.removeLast()
    } else if element.name == Names.name, elements.last?.name == Names.file,
      let own = paths.indices.last
    {
      paths[own] = (own > 0 ? paths[own - 1] : 0) + textBytes + 1
      weight += paths[own]
    }
    return weightProblem
  }

  /// Records what an ending element states about a part of the heap.
  private mutating func take(_ name: [UInt8], in parent: [UInt8]?) -> String? {
    let problem =
      "its table of contents states a checksum or a location of data that cannot be read"
    switch (parent, name) {
    case (Names.data, Names.archivedChecksum):
      guard let algorithm = part.algorithm else { break }
      guard let digest = [UInt8](hexadecimal: text), digest.count == algorithm.byteCount else {
        return problem
      }
      part.digest = digest
    case (Names.data, Names.offset), (Names.checksum, Names.offset):
      part.offset = UInt64(String(decoding: text, as: UTF8.self))
    case (Names.data, Names.length):
      part.length = UInt64(String(decoding: text, as: UTF8.self))
    case (Names.file, Names.data):
      guard let algorithm = part.algorithm else { break }
      guard let offset = part.offset, let length = part.length, !part.digest.isEmpty else {
        return problem
      }
      checksums.insert(
        StatedChecksum(
          algorithm: algorithm, offset: offset, length: length, digest: part.digest))
    case (Names.table, Names.checksum):
      guard let algorithm = part.algorithm else { break }
      guard let offset = part.offset, ofTable == nil else { return problem }
      ofTable = (algorithm, offset)
    default: break
    }
    return nil
  }

  private var weightProblem: String? {
    weight > Self.weightBytesMax ? "its table of contents has too many entries" : nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Returns whether a name has only characters that occur in the names of a xar's elements. It has
  /// no prefix, so the local name is the whole name.
  private static func isPlain(_ name: [UInt8]) -> Bool {
    !name.isEmpty
      && name.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
          UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}

extension [UInt8] {
  /// The bytes given by an even number of hexadecimal digits; nil for any other text.
  fileprivate init?(hexadecimal text: [UInt8]) {
    guard text.count.isMultiple(of: 2) else { return nil }
    self = []
    for index in stride(from: 0, to: text.count, by: 2) {
      let digits = String(decoding: text[index..<index + 2], as: UTF8.self)
      guard digits.allSatisfy(\.isHexDigit), let byte = UInt8(digits, radix: 16) else { return nil }
      append(byte)
    }
  }
}
