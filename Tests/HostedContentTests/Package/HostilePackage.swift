import Foundation
import HostedContent
import LedgerEvents
import Testing

/// A package that must be refused, with the reason.
struct HostilePackage: Sendable, CustomTestStringConvertible {
  enum Reason: Sendable, Equatable {
    case fault(PackageFault.Code)
    /// The container itself cannot be read.
    case malformed
  }

  let name: String
  let reason: Reason
  let bytes: @Sendable () -> [UInt8]
  var expectations = PackageExpectations()
  var limits = PackageLimits()

  var testDescription: String { name }

  init(
    _ name: String, _ reason: Reason, expectations: PackageExpectations = PackageExpectations(),
    limits: PackageLimits = PackageLimits(), _ bytes: @escaping @Sendable () -> [UInt8]
  ) {
    self.name = name
    self.reason = reason
    self.bytes = bytes
    self.expectations = expectations
    self.limits = limits
  }

  /// Creates a valid zip with a change.
  init(
    _ name: String, _ code: PackageFault.Code, limits: PackageLimits = PackageLimits(),
    zip change: @escaping @Sendable (inout TestZip) -> Void
  ) {
    self.init(name, .fault(code), limits: limits) { PackageLab.zip(change) }
  }

  /// Creates a zip with a `ContentInfo.plist` of that text.
  init(
    _ name: String, _ code: PackageFault.Code,
    expectations: PackageExpectations = PackageExpectations(), info: String
  ) {
    self.init(name, .fault(code), expectations: expectations) {
      PackageLab.zip(info: Array(info.utf8))
    }
  }

  static let all: [HostilePackage] = [
    paths, links, kinds, code, scripts, sizes, infos, expected, levels, xars, broken,
    zipReadings, xarReadings,
  ].flatMap { $0 }

  /// An absolute path that does not exist on the machine.
  static let outside = "/tmp/daybook-evil-\(UUID().uuidString)"

  static let paths: [HostilePackage] = [
    .init("a climbing name", .climbingPath) { $0.add("../evil") },
    .init("a name that climbs from within", .climbingPath) { $0.add("Contents/../../evil") },
    .init("a name that climbs and comes back", .climbingPath) { $0.add("Contents/x/../b") },
    .init("an absolute name", .absolutePath) { $0.add(HostilePackage.outside) },
    .init("an empty part", .emptyComponent) { $0.add("Contents//b") },
    .init("a dot for a part", .emptyComponent) { $0.add("Contents/./b") },
    .init("a line feed in a name", .invalidName) { $0.add("Contents/a\nb") },
    .init("an escape in a name", .invalidName) { $0.add("Contents/\u{1B}[2Jb") },
    .init("a name that is no UTF-8", .invalidUTF8) {
      $0.entries.append(
        .init(name: Array("Contents/".utf8) + [0xFF, 0xFE], data: [1], flags: 0))
    },
    .init("a name that says it is UTF-8 and is not", .invalidUTF8) {
      $0.entries.append(.init(name: Array("Contents/".utf8) + [0xC3, 0x28], data: [1]))
    },
    .init("a name of 256 bytes", .nameTooLong) {
      $0.add("Contents/" + String(repeating: "n", count: 256))
    },
    .init("a path of 2,000 bytes", .nameTooLong) {
      $0.add("Contents" + String(repeating: "/deeper", count: 286))
    },
    .init("the same path twice", .duplicate) { $0.add("Contents/a.txt", "other") },
    .init("twins but for case", .sameName) { $0.add("Contents/A.TXT") },
    .init("folders that are twins but for case", .sameName) {
      $0.add("Contents/maps/one")
      $0.add("Contents/Maps/two")
    },
    .init("twins but for normal form", .sameName) {
      $0.entries.append(
        .init(name: Array("Contents/caf\u{E9}".utf8), data: [1], flags: 0))
      $0.entries.append(
        .init(name: Array("Contents/cafe\u{301}".utf8), data: [1], flags: 0))
    },
    .init("twins by full case folding", .sameName) {
      $0.add("Contents/stra\u{DF}e")
      $0.add("Contents/STRASSE")
    },
    .init("a file below a file", .fileAndFolder) { $0.add("Contents/a.txt/b") },
    .init("a file where a folder is", .fileAndFolder) {
      $0.add("Contents/sub/b")
      $0.add("Contents/sub")
    },
    .init("a folder where a file is", .fileAndFolder) {
      $0.add("Contents/a.txt/", "", mode: 0o040755)
    },
  ]

  static let links: [HostilePackage] = [
    .init("an absolute link", .linkOutside) { $0.link("Contents/l", to: "/etc/passwd") },
    .init("a climbing link", .linkOutside) { $0.link("Contents/l", to: "../../evil") },
    .init("a link to nothing", .linkToNothing) { $0.link("Contents/l", to: "b") },
    .init("a link to a link", .linkThroughLink) {
      $0.link("Contents/l", to: "a.txt")
      $0.link("Contents/m", to: "l")
    },
    .init("a link by way of a link", .linkThroughLink) {
      $0.add("Contents/x/y/z")
      $0.link("Contents/d", to: "x/y")
      $0.link("Contents/m", to: "d/../../a.txt")
    },
    .init("a link to itself", .linkThroughLink) { $0.link("Contents/l", to: "l") },
    .init("an entry below a link", .belowLink) {
      $0.link("Contents/out", to: ".")
      $0.add("Contents/out/evil")
    },
    .init("an entry below an absolute link", .linkOutside) {
      $0.link("Contents/out", to: "/tmp")
      $0.add("Contents/out/evil")
    },
    .init("a link and a file of one name", .fileAndFolder) {
      $0.link("Contents/l", to: "a.txt")
      $0.add("Contents/l", "evil")
    },
    .init("ContentInfo.plist as a link", .infoUnreadable) {
      $0.entries.removeFirst()
      $0.link("ContentInfo.plist", to: "Contents/a.txt")
    },
    .init("Contents as a link", .contentsMissing) {
      $0.entries.removeLast()
      $0.link("Contents", to: "ContentInfo.plist")
    },
  ]

  static let kinds: [HostilePackage] = [
    .init("a character device", .special) { $0.add("Contents/d", "", mode: 0o020666) },
    .init("a block device", .special) { $0.add("Contents/d", "", mode: 0o060666) },
    .init("a pipe", .fault(.special)) {
      PackageLab.xar(TestXar.entry("p", type: "fifo")).bytes
    },
    .init("a socket", .special) { $0.add("Contents/d", "", mode: 0o140666) },
  ]

  private static let magics: [(name: String, bytes: [UInt8])] = [
    ("Mach-O of 64 bits", [0xCF, 0xFA, 0xED, 0xFE, 7, 0, 0, 1]),
    ("Mach-O of 32 bits", [0xCE, 0xFA, 0xED, 0xFE, 7, 0, 0, 0]),
    ("Mach-O, big end first", [0xFE, 0xED, 0xFA, 0xCE, 0, 0, 0, 18]),
    ("Mach-O of 64 bits, big end first", [0xFE, 0xED, 0xFA, 0xCF, 0, 0, 0, 18]),
    ("Mach-O for several processors", [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 2]),
    ("Mach-O for several processors, 64 bits", [0xCA, 0xFE, 0xBA, 0xBF, 0, 0, 0, 2]),
    ("ELF", [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0]),
    ("PE", portable),
    ("WebAssembly", [0, 0x61, 0x73, 0x6D, 1, 0, 0, 0]),
    ("bitcode", [0x42, 0x43, 0xC0, 0xDE, 0x35, 0x14, 0, 0]),
    ("wrapped bitcode", [0xDE, 0xC0, 0x17, 0x0B, 0, 0, 0, 0]),
    ("an archive of object files", Array("!<arch>\n".utf8)),
  ]

  /// The smallest file that counts as Windows code: `MZ`, and `PE` at the offset in the header.
  private static let portable: [UInt8] = {
    var bytes = [UInt8](repeating: 0, count: 68)
    bytes.replaceSubrange(0..<2, with: Array("MZ".utf8))
    bytes[60] = 64
    bytes.replaceSubrange(64..<66, with: Array("PE".utf8))
    return bytes
  }()

  static let code: [HostilePackage] = magics.map { magic in
    HostilePackage(magic.name, .executable) { $0.add("Contents/picture.png", data: magic.bytes) }
  }

  static let scripts: [HostilePackage] = [
    .init("a script that can be run", .executable) {
      $0.add("Contents/run", "#!/bin/sh\n", mode: 0o100755)
    },
    .init("a script without the right to run", .executable) {
      $0.add("Contents/run.txt", "#! /bin/sh\n")
    },
    .init("a dynamic library by name", .executable) { $0.add("Contents/libx.DYLIB") },
    .init("a dynamic library with its version", .executable) { $0.add("Contents/libx.so.1.2") },
  ]

  static let sizes: [HostilePackage] = [
    .init("a bomb", .bomb, limits: .small) { zip in
      let zeros = TestZip.deflatedZeros(20_000)
      zip.entries.append(
        .init(
          name: Array("Contents/z".utf8), data: zeros.data, method: 8,
          statedBytes: zeros.bytes))
    },
    .init("a bomb of many small ones", .bomb, limits: .small) { zip in
      let zeros = TestZip.deflatedZeros(400)
      let checksum = TestZip.checksum([UInt8](repeating: 0, count: Int(zeros.bytes)))
      for index in 0..<20 {
        zip.entries.append(
          .init(
            name: Array("Contents/z\(index)".utf8), data: zeros.data, method: 8,
            statedBytes: zeros.bytes, statedChecksum: checksum))
      }
    },
    .init("an entry that states 4 GB", .tooLarge) { zip in
      zip.entries.append(
        .init(
          name: Array("Contents/z".utf8), data: [3, 0], method: 8, statedBytes: 0xFFFF_FFF0))
    },
    .init("too many entries", .tooManyEntries, limits: .small) { zip in
      for index in 0..<60 { zip.add("Contents/\(index)") }
    },
  ]

  static let infos: [HostilePackage] = [
    .init("no ContentInfo.plist", .infoMissing) { $0.entries.removeFirst() },
    .init("a ContentInfo.plist of 100 kB", .infoTooLarge) {
      $0.entries[0].data = [UInt8](repeating: 0x20, count: 100_000)
    },
    .init("broken XML", .infoUnreadable, info: "<plist><dict><key>ContentVersion</ke"),
    .init("no property list", .infoUnreadable, info: "ContentVersion = 1.0"),
    .init("an empty plist", .infoUnreadable, info: ""),
    .init("a list in place of a dictionary", .infoUnreadable, info: "<plist><array/></plist>"),
    .init(
      "lists in lists", .infoUnreadable,
      info: "<plist>" + String(repeating: "<array>", count: 8_000) + "</plist>"),
    .init("a broken binary plist", .fault(.infoUnreadable)) {
      PackageLab.zip(info: Array("bplist00".utf8) + [0xD1, 1, 2, 0x51, 0x41])
    },
    .init("a binary plist whose trailer lies", .fault(.infoUnreadable)) {
      PackageLab.zip(
        info: Array("bplist00".utf8) + [0xA1, 0] + [0, 0, 0, 0, 0, 0, 1, 1]
          + [0x7F, 255, 255, 255, 255, 255, 255, 255] + [UInt8](repeating: 0, count: 16))
    },
    .init("a binary plist that holds itself", .fault(.infoUnreadable)) {
      PackageLab.zip(
        info: Array("bplist00".utf8) + [0xA1, 0, 8] + [0, 0, 0, 0, 0, 0, 1, 1]
          + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 10])
    },
    .init(
      "no version", .keyMissing,
      info: "<plist><dict><key>IAPProductIdentifier</key>"
        + "<string>atlas</string></dict></plist>"),
    .init(
      "a number for the version", .keyWrongType,
      info: "<plist><dict>"
        + "<key>IAPProductIdentifier</key><string>atlas</string>"
        + "<key>ContentVersion</key><real>1.0</real></dict></plist>"),
    .init("a version with a letter", .badVersion, info: PackageLab.info(version: "1.0b")),
    .init("a version with an empty part", .badVersion, info: PackageLab.info(version: "1..0")),
    .init("a product that climbs", .badProduct, info: PackageLab.info(product: "../x")),
    .init("an empty product", .badProduct, info: PackageLab.info(product: "")),
    .init(
      "a product that no folder can be called", .badProduct, info: PackageLab.info(product: "a:b")),
    .init(
      "a product called as the link to it", .badProduct, info: PackageLab.info(product: "Current")),
  ]

  static let expected: [HostilePackage] = [
    .init(
      "another product", .otherProduct, expectations: .init(product: "globe"),
      info: PackageLab.info()),
    .init(
      "a product that is not in the catalogue", .unknownProduct,
      expectations: .init(knownProducts: ["globe"]), info: PackageLab.info()),
    .init(
      "a first version of 1.1", .firstVersion,
      expectations: .init(versionOnOffer: { _ in .nothing }),
      info: PackageLab.info(version: "1.1")),
    .init(
      "the version on offer again", .versionNotHigher,
      expectations: .init(versionOnOffer: { _ in .version("1.0") }), info: PackageLab.info()),
    .init(
      "a lower version", .versionNotHigher,
      expectations: .init(versionOnOffer: { _ in .version("1.10") }),
      info: PackageLab.info(version: "1.9")),
  ]

  static let levels: [HostilePackage] = [
    .init("no Contents", .contentsMissing) { $0.entries.removeLast() },
    .init("one level off", .wrongLevel) {
      for index in $0.entries.indices {
        $0.entries[index].name = Array("atlas/".utf8) + $0.entries[index].name
      }
    },
    .init("Contents in Contents", .wrongLevel) {
      $0.entries[1].name = Array("Contents/Contents/a.txt".utf8)
    },
    .init("ContentInfo.plist in Contents", .wrongLevel) {
      $0.entries[0].name = Array("Contents/ContentInfo.plist".utf8)
    },
    .init("contents in small letters", .stray) {
      $0.entries[1].name = Array("contents/a.txt".utf8)
    },
    .init("the Finder's leavings", .stray) { $0.add("__MACOSX/._a.txt") },
    .init("a file beside the two", .stray) { $0.add("README") },
  ]

  static let xars: [HostilePackage] = [
    .init("a xar's climbing name", .fault(.climbingPath)) {
      PackageLab.xar(TestXar.entry("../evil", type: "file")).bytes
    },
    .init("a xar's absolute name", .fault(.absolutePath)) {
      PackageLab.xar(TestXar.entry(HostilePackage.outside, type: "file")).bytes
    },
    .init("a xar's folder that climbs", .fault(.climbingPath)) {
      PackageLab.xar(
        TestXar.entry("..", type: "directory", TestXar.entry("evil", type: "file"))
      ).bytes
    },
    .init("a xar's absolute link", .fault(.linkOutside)) {
      PackageLab.xar(
        TestXar.entry("l", type: "symlink", "<link type=\"file\">/etc/passwd</link>")
      ).bytes
    },
    .init("a xar's device", .fault(.special)) {
      PackageLab.xar(
        TestXar.entry(
          "d", type: "character special",
          "<device><major>1</major><minor>5</minor></device>")
      ).bytes
    },
    .init("a xar's file below a file", .fault(.fileAndFolder)) {
      PackageLab.xar(
        "", inContents: TestXar.entry("b", type: "file", TestXar.entry("c", type: "file"))
      ).bytes
    },
    .init("a xar's file twice", .fault(.duplicate)) {
      PackageLab.xar("", inContents: TestXar.entry("a.txt", type: "file")).bytes
    },
    .init("a xar's code", .fault(.executable)) {
      let code: [UInt8] = [0xCF, 0xFA, 0xED, 0xFE]
      return PackageLab.xar(
        "", code, inContents: TestXar.file("c", code, at: PackageLab.xarHeapStart)
      ).bytes
    },
  ]

  static let broken: [HostilePackage] = [
    .init("an empty file", .malformed) { [] },
    .init("a text", .malformed) { Array("just a text, no package at all".utf8) },
    .init("a zip that is cut off", .malformed) {
      Array(PackageLab.goodZip().bytes.dropLast(40))
    },
    .init("a zip of its first bytes", .malformed) { [0x50, 0x4B, 3, 4] },
    .init("a zip without its end's last byte", .malformed) {
      Array(PackageLab.goodZip().bytes.dropLast(1))
    },
    .init("a wrong checksum in a zip", .malformed) {
      PackageLab.zip { $0.entries[1].statedChecksum = 1 }
    },
    .init("an encrypted entry", .malformed) { PackageLab.zip { $0.entries[1].flags |= 1 } },
    .init("a zip that packs by an unknown method", .malformed) {
      PackageLab.zip { $0.entries[1].method = 97 }
    },
    .init("a zip that deflates nonsense", .malformed) {
      PackageLab.zip { $0.entries[1].method = 8 }
    },
    .init("a zero byte in a name", .malformed) {
      PackageLab.zip { $0.entries[1].name += [0] + Array(".png".utf8) }
    },
    .init("a zip whose directory is said to be huge", .malformed) {
      var bytes = PackageLab.goodZip().bytes
      bytes.replaceSubrange(bytes.count - 10..<bytes.count - 6, with: [0, 0, 0, 0x70])
      return bytes
    },
    .init("a xar of its first bytes", .malformed) { Array("xar!".utf8) },
    .init("a xar that is cut off in its table", .malformed) {
      Array(PackageLab.xar("").bytes.prefix(200))
    },
    .init("a xar that is cut off in its data", .malformed) {
      Array(PackageLab.xar("").bytes.dropLast(3))
    },
    .init("a xar whose table is said to be huge", .malformed) {
      var xar = PackageLab.xar("")
      xar.statedTableBytes = 1 << 60
      return xar.bytes
    },
    .init("a xar with a wrong checksum", .malformed) {
      PackageLab.xar(
        "", [1],
        inContents: TestXar.file(
          "c", [1], at: PackageLab.xarHeapStart, digest: String(repeating: "0", count: 40))
      ).bytes
    },
    .init("folders a thousand deep in a xar", .malformed) {
      PackageLab.xar(
        String(repeating: "<file><name>d</name><type>directory</type>", count: 1_000)
          + String(repeating: "</file>", count: 1_000)
      ).bytes
    },
    .init("a xar of long names above many entries", .malformed) {
      let name = String(repeating: "n", count: 60_000)
      return PackageLab.xar(
        "<file><name>\(name)</name><type>directory</type>"
          + String(repeating: "<file><name>a</name></file>", count: 10_000) + "</file>"
      ).bytes
    },
    .init("a xar with entities", .malformed) {
      var xar = PackageLab.xar("")
      xar.table = "<!DOCTYPE xar [<!ENTITY a \"aaaa\">]>" + xar.table
      return xar.bytes
    },
    .init("a xar whose table is no XML", .malformed) {
      var xar = PackageLab.xar("")
      xar.table = "<xar><toc><file><name>a</na"
      return xar.bytes
    },
  ]
}

extension PackageLimits {
  /// Limits that a test can reach quickly.
  static var small: PackageLimits {
    var limits = PackageLimits()
    limits.entriesMax = 50
    limits.expansionMax = 100
    limits.expansionFreeBytes = 1_000_000
    return limits
  }
}
