import Crypto

/// A xar with an arbitrary table of contents.
struct TestXar {
  var table: String
  var heap: [UInt8] = []
  /// The table size in the header, if it differs from the actual size.
  var statedTableBytes: UInt64?
  /// The checksum after the table, made of its packed bytes.
  var checksum: ([UInt8]) -> [UInt8] = { Array(Insecure.SHA1.hash(data: $0)) }
  /// What the header says of that checksum: 1 is SHA-1, 0 nothing.
  var statedAlgorithm: UInt8 = 1

  /// Creates a table of entries. `files` is their XML.
  init(files: String, heap: [UInt8] = []) {
    table = """
      <?xml version="1.0" encoding="UTF-8"?>
      <xar><toc><checksum style="sha1"><offset>0</offset><size>20</size></checksum>
      \(files)</toc></xar>
      """
    self.heap = heap
  }

  var bytes: [UInt8] {
    let raw = Array(table.utf8)
    let packed = Self.zlib(raw)
    var xar = Array("xar!".utf8) + [0, 28, 0, 1]
    xar += Self.big(statedTableBytes ?? UInt64(packed.count)) + Self.big(UInt64(raw.count))
    xar += [0, 0, 0, statedAlgorithm] + packed + checksum(packed) + heap
    return xar
  }

  /// Returns the XML of a file whose data begins `offset` bytes after the checksum.
  static func file(
    _ name: String, _ data: [UInt8], at offset: Int, mode: String = "0644", digest: String? = nil
  ) -> String {
    let digest =
      digest
      ?? Insecure.SHA1.hash(data: data).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
    return """
      <file id="\(name.utf8.count)\(offset)"><name>\(name)</name><type>file</type>
      <mode>\(mode)</mode><data><length>\(data.count)</length><offset>\(offset + 20)</offset>
      <size>\(data.count)</size><encoding style="application/octet-stream"/>
      <archived-checksum style="sha1">\(digest)</archived-checksum>
      <extracted-checksum style="sha1">\(digest)</extracted-checksum></data></file>
      """
  }

  /// Returns the XML of another entry: its type and its contents.
  static func entry(_ name: String, type: String, _ inside: String = "") -> String {
    "<file id=\"9\"><name>\(name)</name><type>\(type)</type><mode>0755</mode>\(inside)</file>"
  }

  /// The XML of a file whose archived bytes have a checksum that libarchive does not know.
  static func file(
    _ name: String, bytes: Int, at offset: Int, checksum style: String, _ digest: String
  ) -> String {
    """
    <file id="7"><name>\(name)</name><type>file</type><mode>0644</mode>
    <data><length>\(bytes)</length><offset>\(offset + 20)</offset><size>\(bytes)</size>
    <encoding style="application/octet-stream"/>
    <archived-checksum style="\(style)">\(digest)</archived-checksum>
    <extracted-checksum style="\(style)">\(digest)</extracted-checksum></data></file>
    """
  }

  private static func big(_ number: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
  }

  /// Returns stored blocks between zlib's header and checksum.
  private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var packed: [UInt8] = [0x78, 0x01]
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      packed += [rest.isEmpty ? 1 : 0, UInt8(count & 255), UInt8(count >> 8)]
      packed += [UInt8(~count & 255), UInt8(~count >> 8)] + block
    } while !rest.isEmpty
    var one: UInt32 = 1
    var two: UInt32 = 0
    for byte in bytes {
      one = (one + UInt32(byte)) % 65_521
      two = (two + one) % 65_521
    }
    let sum = two << 16 | one
    return packed + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) }
  }
}
