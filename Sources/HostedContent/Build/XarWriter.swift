internal import Crypto
internal import Foundation

/// Writes a xar, the container of a `.pkg`: the table of contents in XML, then the stored data.
///
/// The format is xar 1 (github.com/apple-oss-distributions/xar): a header of 28 bytes, the
/// zlib-compressed table, and the heap, whose offsets count from its start. The table's SHA-1 is
/// the first 20 bytes of the heap. The table uses stored blocks, so its bytes do not depend on the
/// version of zlib.
struct XarWriter: PackageWriter {
  private static let headerBytes: UInt16 = 28
  private static let version: UInt16 = 1
  /// SHA-1, which every reader supports.
  private static let checksumKind: UInt32 = 1
  private static let checksumBytes: UInt64 = 20
  /// A fixed time: the first day that a zip can state, so that both formats have the same one.
  private static let time = "1980-01-01T00:00:00Z"

  private let entries: [PackedEntry]
  private let table: [UInt8]
  private let packedTable: [UInt8]

  init(_ entries: [PackedEntry]) {
    self.entries = entries
    table = Self.table(entries)
    packedTable = StoredZlib.packed(table)
  }

  var byteCount: UInt64 {
    UInt64(Self.headerBytes) + UInt64(packedTable.count) + Self.checksumBytes
      + entries.reduce(0) { $0 + $1.bytes }
  }

  func write(
    _ source: inout ContentSource, to output: inout PackageOutput
  ) throws(ContentError) {
    var header = ByteBuilder()
    header.add("xar!".utf8)
    header.add(big: Self.headerBytes)
    header.add(big: Self.version)
    header.add(big: UInt64(packedTable.count))
    header.add(big: UInt64(table.count))
    header.add(big: Self.checksumKind)
    try output.write(header.bytes)
    try output.write(packedTable)
    try output.write(Array(Insecure.SHA1.hash(data: packedTable)))
    try copy(&source, entries, to: &output) { (_, _) throws(ContentError) in }
  }

  private static func table(_ entries: [PackedEntry]) -> [UInt8] {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <xar>
       <toc>
        <creation-time>\(time)</creation-time>
        <checksum style="sha1"><offset>0</offset><size>\(checksumBytes)</size></checksum>

      """
    let folders = Set(entries.lazy.filter { $0.kind == .folder }.map(\.path))
    var open: [[UInt8]] = []
    var offset = checksumBytes
    for (index, entry) in entries.enumerated() {
      let path = Array(entry.path.utf8)
      while let folder = open.last, !path.starts(with: folder) {
        open.removeLast()
        text += "</file>\n"
      }
      let name = String(decoding: path.dropFirst(open.last?.count ?? 0), as: UTF8.self)
      text += "<file id=\"\(index + 1)\">\(nameElement(name))<uid>0</uid><gid>0</gid>"
      text += "<user>root</user><group>wheel</group><mtime>\(time)</mtime>"
      switch entry.kind {
      case .folder:
        text += "<mode>0755</mode><type>directory</type>\n"
        open.append(path + [UInt8(ascii: "/")])
        continue
      case .link(let target):
        let type = linkType(target, from: entry.path, folders)
        text += "<mode>0777</mode><type>symlink</type>"
        text += "<link type=\"\(type)\">\(target.escapedForXML)</link>"
      case .file:
        text += "<mode>0644</mode><type>file</type><size>\(entry.bytes)</size>"
        text += dataElement(entry, at: offset)
        offset += entry.bytes
      }
      text += "</file>\n"
    }
    text += String(repeating: "</file>\n", count: open.count)
    text += " </toc>\n</xar>\n"
    return Array(text.utf8)
  }

  /// Returns a name, in base64 if XML cannot contain its characters.
  private static func nameElement(_ name: String) -> String {
    if name.isXMLText { return "<name>\(name.escapedForXML)</name>" }
    return "<name enctype=\"base64\">\(Data(name.utf8).base64EncodedString())</name>"
  }

  private static func linkType(
    _ target: String, from path: String, _ folders: Set<String>
  ) -> String {
    let parts = PackageInspection.resolved(target, from: PackagePath(path, isFolder: false)) ?? []
    return folders.contains(parts.joined(separator: "/")) ? "directory" : "file"
  }

  private static func dataElement(_ entry: PackedEntry, at offset: UInt64) -> String {
    // Xar has no data element for an empty file.
    guard entry.bytes > 0 else { return "" }
    let digest = entry.digest.map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    return "<data><length>\(entry.bytes)</length><offset>\(offset)</offset>"
      + "<size>\(entry.bytes)</size><encoding style=\"application/octet-stream\"/>"
      + "<archived-checksum style=\"sha1\">\(digest)</archived-checksum>"
      + "<extracted-checksum style=\"sha1\">\(digest)</extracted-checksum></data>"
  }
}

/// Writes the zlib format without compression (RFC 1950, and RFC 1951 3.2.4).
enum StoredZlib {
  private static let blockBytesMax = 0xFFFF

  static func packed(_ bytes: [UInt8]) -> [UInt8] {
    var packed = ByteBuilder()
    // Deflate with a window of 32 KiB, the fastest level, and check bits that make the header a
    // multiple of 31.
    packed.add([0x78, 0x01])
    var start = 0
    repeat {
      let end = min(start + blockBytesMax, bytes.count)
      packed.add([end == bytes.count ? 1 : 0])
      packed.add(little: UInt16(end - start))
      packed.add(little: ~UInt16(end - start))
      packed.add(bytes[start..<end])
      start = end
    } while start < bytes.count
    packed.add(big: adler32(bytes))
    return packed.bytes
  }

  /// RFC 1950, 8.2; the sums are reduced before they can overflow.
  private static func adler32(_ bytes: [UInt8]) -> UInt32 {
    let modulus: UInt32 = 65_521
    let runBytes = 5_552
    var one: UInt32 = 1
    var two: UInt32 = 0
    var start = 0
    while start < bytes.count {
      let end = min(start + runBytes, bytes.count)
      for byte in bytes[start..<end] {
        one += UInt32(byte)
        two += one
      }
      one %= modulus
      two %= modulus
      start = end
    }
    return two << 16 | one
  }
}
