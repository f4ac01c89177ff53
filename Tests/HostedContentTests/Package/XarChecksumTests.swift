import Crypto
import Foundation
import HostedContent
import Testing

/// The checksums of a xar that libarchive does not compare.
@Suite("A xar's checksums") struct XarChecksumTests {
  private static let data = Array("data of a map, long enough to be damaged".utf8)

  private static func hexadecimal(_ digest: some Sequence<UInt8>) -> String {
    digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static let digests = [
    "sha256": hexadecimal(SHA256.hash(data: data)),
    "sha512": hexadecimal(SHA512.hash(data: data)),
  ]

  /// A good xar with one more file, whose data is `heap`.
  private func xar(
    _ style: String, _ digest: String, _ heap: [UInt8] = data, bytes: Int = data.count
  ) -> TestXar {
    let file = TestXar.file(
      "map", bytes: bytes, at: PackageLab.xarHeapStart, checksum: style, digest)
    return PackageLab.xar("", heap, inContents: file)
  }

  private func judge(_ xar: TestXar) throws -> PackageReport {
    let lab = try PackageLab()
    return try PackageInspection.judge(path: lab.write("package", xar.bytes))
  }

  @Test("of the SHA-2 family are compared", arguments: ["sha256", "sha512"])
  func compared(style: String) throws {
    let digest = try #require(Self.digests[style])
    #expect(try judge(xar(style, digest)).faults == [])
    #expect(try judge(xar(style.uppercased(), digest.uppercased())).faults == [])
    var damaged = Self.data
    damaged[3] ^= 1
    #expect(throws: ContentError(.malformed, path: "", "")) {
      try judge(xar(style, digest, damaged))
    }
    // The control: libarchive finds nothing wrong with the same damage.
    #expect(try judge(xar("crc32", digest, damaged)).faults == [])
  }

  @Test("that cannot be a digest are refused", arguments: ["", "00", "x", "+1"])
  func malformed(digest: String) throws {
    let padded = digest == "x" || digest == "+1" ? String(repeating: digest, count: 64) : digest
    #expect(throws: ContentError(.malformed, path: "", "")) { try judge(xar("sha256", padded)) }
  }

  @Test("of data after the end of the file are refused") func behindTheEnd() throws {
    let digest = try #require(Self.digests["sha256"])
    #expect(throws: ContentError(.malformed, path: "", "")) {
      try judge(xar("sha256", digest, bytes: 1 << 40))
    }
  }

  @Test("of the same data many times are refused before it is hashed") func overlapping() throws {
    let heap = [UInt8](repeating: 7, count: 10_000)
    let files = (0..<3).map { number in
      TestXar.file(
        "map\(number)", bytes: heap.count - number, at: PackageLab.xarHeapStart + number,
        checksum: "sha256", Self.hexadecimal(SHA256.hash(data: heap.dropFirst(number))))
    }
    #expect(try judge(PackageLab.xar("", heap, inContents: files[0])).faults == [])
    #expect(throws: ContentError(.malformed, path: "", "")) {
      try judge(PackageLab.xar("", heap, inContents: files.joined()))
    }
  }

  @Test("of the table are compared") func ofTable() throws {
    var good = PackageLab.xar("")
    good.table = good.table
      .replacing(
        "checksum style=\"sha1\"><offset>0</offset><size>20</size>",
        with: "checksum style=\"sha256\"><offset>0</offset><size>32</size>")
    // The data of the good package begins after 20 bytes of checksum.
    for offset in [20, 20 + PackageLab.info().utf8.count] {
      good.table = good.table.replacing(
        "<offset>\(offset)</offset>", with: "<offset>\(offset + 12)</offset>")
    }
    good.statedAlgorithm = 0
    good.checksum = { Array(SHA256.hash(data: $0)) }
    #expect(try judge(good).faults == [])
    var damaged = good
    damaged.checksum = { Array(SHA256.hash(data: $0 + [0])) }
    #expect(throws: ContentError(.malformed, path: "", "")) { try judge(damaged) }
  }
}
