import Crypto
import Foundation
import HostedContent
import LedgerEvents

/// Packages of content: containers, a xar's table of contents and `ContentInfo.plist`. They are
/// read in this process, where a trap is seen; the program reads them in a child process.
extension Target {
  static func packages(_ samples: Samples) throws -> [Target] {
    let folder = try Workplace.make("packages")
    let content = samples.path("Tools/samples/atlas")
    let built = try [PackageFormat.pkg, .zip].map { format in
      let path = "\(folder)/sample.\(format.rawValue)"
      let report = try PackageBuilder(
        folder: content, product: "com.example.atlas", version: "1.0", format: format
      ).build(to: path)
      try Broken.unless(report.isValid, "the sample is no package: \(report.faults)")
      return try Workplace.read(path)
    }
    let xar = try XarParts(built[0])
    let list = try samples.file("Tools/samples/atlas/ContentInfo.plist")
    let plain = try Workplace.make("packages/folder/Contents")
    try Workplace.write([1, 2, 3], to: "\(plain)/file")
    return [
      Target("packages", built, tokens: zip, inputsPerRound: 80) { bytes in
        try judge(bytes, at: "\(folder)/package")
      },
      Target("tables", [xar.table], tokens: xml, inputsPerRound: 80) { table in
        try judge(xar.file(with: table), at: "\(folder)/table.pkg")
      },
      Target("infos", [list, try binary(list)], tokens: xml + bytes) { list in
        let package = "\(folder)/folder"
        try Workplace.write(list, to: "\(package)/ContentInfo.plist")
        return try judged(package, byteCount: list.count)
      },
    ]
  }

  private static func judge(_ bytes: [UInt8], at path: String) throws -> Bool {
    try Workplace.write(bytes, to: path)
    return try judged(path, byteCount: bytes.count)
  }

  /// The most bytes that a package of a byte is unpacked to: deflate's limit is 1,032.
  private static let growthMax: UInt64 = 1_100

  /// Judges a package.
  ///
  /// - Returns: Whether it is valid.
  private static func judged(_ path: String, byteCount: Int) throws -> Bool {
    do throws(ContentError) {
      let report = try PackageInspection.judge(path: path)
      if report.bytes > growthMax * UInt64(byteCount + 100) {
        throw ContentError(.malformed, path: path, "\(outgrown)\(report.bytes) bytes")
      }
      return report.isValid
    } catch {
      try Broken.unless(!error.message.isEmpty, "an error without a message")
      try Broken.unless(!error.message.hasPrefix(outgrown), error.message)
      return false
    }
  }

  private static let outgrown = "it grew to "

  private static func binary(_ list: [UInt8]) throws -> [UInt8] {
    let value = try PropertyListDecoder().decode([String: String].self, from: Data(list))
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return Array(try encoder.encode(value))
  }

  /// Signatures, flags and large fields of zips and xars.
  private static let zip: [[UInt8]] = [
    [0x50, 0x4B, 1, 2], [0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6], [0x50, 0x4B, 6, 6],
    [0x50, 0x4B, 6, 7], [0x50, 0x4B, 7, 8], Array("xar!".utf8), [8, 0], [1, 0, 16, 0],
    Array("../".utf8), Array("Contents/".utf8), [0], [0xFF, 0xFF], [0xFF, 0xFF, 0xFF, 0xFF],
    [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
  ]

  /// Elements and texts of tables of contents and of property lists.
  private static let xml: [[UInt8]] = [
    "<file id=\"1\">", "</file>", "<name>..</name>", "<name enctype=\"base64\">Ly4u</name>",
    "<type>directory</type>", "<type>hardlink</type>", "<type link=\"1\">hardlink</type>",
    "<type>symlink</type><link>/etc</link>", "<data>", "</data>", "<offset>0</offset>",
    "<length>18446744073709551615</length>", "<size>9223372036854775807</size>", "<ea>", "</ea>",
    "<archived-checksum style=\"sha256\">00</archived-checksum>", "<encoding style=\"application/",
    "<!-- -->", "<![CDATA[", "<?x?>", "<x:y>", "&lt;", "&#0;", "&#x110000;", "<dict>", "</dict>",
    "<key>IAPProductIdentifier</key>", "<string>", "<integer>1</integer>", "<array/>", "<true/>",
    "<date>2026-01-01T00:00:00Z</date>", "<data>AAAA</data>", "bplist00", "\"", "'", ">", "<",
  ].map { Array($0.utf8) }
}

/// A xar, taken apart so that its table of contents can be replaced.
struct XarParts {
  /// The XML.
  let table: [UInt8]
  private let header: [UInt8]
  private let heap: [UInt8]

  private static let headerBytes = 28
  private static let packedAt = 8
  private static let sumBytes = 20
  private static let blockBytesMax = 0xFFFF

  /// Takes apart a xar whose table is stored and not compressed (RFC 1951, 3.2.4).
  init(_ file: [UInt8]) throws {
    let packed = Int(Self.number(file[Self.packedAt..<Self.packedAt + 8]))
    let stored = Array(file[Self.headerBytes..<Self.headerBytes + packed])
    var table: [UInt8] = []
    var start = 2
    var isLast = false
    while !isLast {
      isLast = stored[start] == 1
      try Broken.unless(stored[start] <= 1, "the sample's table is compressed")
      let count = Int(stored[start + 1]) | Int(stored[start + 2]) << 8
      table += stored[start + 5..<start + 5 + count]
      start += 5 + count
    }
    self.table = table
    header = Array(file[..<Self.packedAt])
    heap = Array(file[(Self.headerBytes + packed)...])
  }

  /// The xar with another table, whose sums are right.
  func file(with table: [UInt8]) -> [UInt8] {
    var packed: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let end = min(start + Self.blockBytesMax, table.count)
      let count = UInt16(end - start)
      packed.append(end == table.count ? 1 : 0)
      for half in [count, ~count] {
        packed += [UInt8(half & 0xFF), UInt8(half >> 8)]
      }
      packed += table[start..<end]
      start = end
    } while start < table.count
    var (one, two) = (1 as UInt32, 0 as UInt32)
    for byte in table {
      one = (one + UInt32(byte)) % 65_521
      two = (two + one) % 65_521
    }
    packed += Self.big(UInt64(two << 16 | one), 4)
    let sum = Array(Insecure.SHA1.hash(data: packed))
    let sizes = Self.big(UInt64(packed.count), 8) + Self.big(UInt64(table.count), 8)
    return header + sizes + Self.big(1, 4) + packed + sum + heap.dropFirst(Self.sumBytes)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func big(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }
}
