import Foundation
import HostedContent
import LedgerEvents
import Testing

@Suite("Reading a package") struct PackageReadingTests {
  @Test("a folder, a zip and a xar of the same content have one digest") func folderZip() throws {
    let lab = try PackageLab()
    try lab.write("folder/ContentInfo.plist", PackageLab.info())
    try lab.write("folder/Contents/a.txt", "text")
    let zip = try lab.write("package", PackageLab.goodZip().bytes)
    let xar = try lab.write("other", PackageLab.xar("").bytes)
    let digests = try [lab.path("folder"), zip, xar].map { path in
      let report = try PackageInspection.judge(path: path)
      #expect(report.faults == [])
      #expect(report.product == "atlas")
      #expect(report.version == "1.0")
      return report.digest
    }
    #expect(Set(digests).count == 1)
  }

  @Test("rights, times and empty folders do not change the digest") func rightsTimes() throws {
    let lab = try PackageLab()
    let path = try lab.goodFolder()
    let before = try PackageInspection.judge(path: path).digest
    try lab.write("good/Contents/a.txt", "text", mode: 0o755)
    try FileManager.default.createDirectory(
      atPath: path + "/Contents/empty", withIntermediateDirectories: false)
    #expect(try PackageInspection.judge(path: path).digest == before)
  }

  @Test("a changed byte and a changed name change the digest") func changedByte() throws {
    let lab = try PackageLab()
    let path = try lab.goodFolder()
    let before = try PackageInspection.judge(path: path).digest
    try lab.write("good/Contents/a.txt", "texT")
    let after = try PackageInspection.judge(path: path).digest
    #expect(after != before)
    try FileManager.default.moveItem(
      atPath: path + "/Contents/a.txt", toPath: path + "/Contents/c.txt")
    #expect(try PackageInspection.judge(path: path).digest != after)
  }

  @Test("the manifest has a line for each file and link, sorted by bytes") func manifestHas() {
    let digest = ContentDigest([UInt8](repeating: 0xAB, count: 32))
    let lines = PackageManifest.lines(of: [
      PackageFile(path: "Contents/b", content: .file(bytes: 1, digest: digest)),
      PackageFile(path: "Contents/a", content: .link(target: "b")),
      PackageFile(path: "Contents/B", content: .file(bytes: 1, digest: digest)),
    ])
    let target = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"
    let hex = String(repeating: "ab", count: 32)
    #expect(
      lines.map { String(decoding: $0, as: UTF8.self) } == [
        "\(hex)  Contents/B\0", "link:\(target)  Contents/a\0", "\(hex)  Contents/b\0",
      ])
  }

  @Test("names in another normal form are one manifest") func namesAnother() {
    let digest = ContentDigest([UInt8](repeating: 1, count: 32))
    let lines = ["caf\u{E9}", "cafe\u{301}"].map { name in
      PackageManifest.digest(of: [
        PackageFile(path: name, content: .file(bytes: 1, digest: digest))
      ])
    }
    #expect(lines[0] == lines[1])
  }

  @Test("a digest is read from its text") func digestRead() throws {
    let digest = ContentDigest((0..<32).map { UInt8($0) })
    #expect(ContentDigest(text: digest.description) == digest)
    #expect(ContentDigest(text: digest.hexadecimal) == nil)
    #expect(ContentDigest(text: digest.description.uppercased()) == nil)
    #expect(ContentDigest(text: String(digest.description.dropLast())) == nil)
  }

  @Test("a xar's hard link is the file that it names") func xarsHard() throws {
    let lab = try PackageLab()
    let info = Array(PackageLab.info().utf8)
    let text = Array("text".utf8)
    let original = TestXar.file("a.txt", text, at: info.count)
      .replacing("<type>file</type>", with: "<type link=\"original\">hardlink</type>")
      .replacing("<file id=\"5\(info.count)\">", with: "<file id=\"77\">")
    let other = "<file id=\"78\"><name>b.txt</name><type link=\"77\">hardlink</type></file>"
    let xar = TestXar(
      files: TestXar.file("ContentInfo.plist", info, at: 0)
        + TestXar.entry("Contents", type: "directory", original + other),
      heap: info + text)
    let report = try PackageInspection.judge(path: try lab.write("package", xar.bytes))
    #expect(report.faults == [])
    #expect(report.files.count == 3)
    #expect(report.files[1].content == report.files[2].content)
  }

  @Test("a folder that is a twin is reported once, whatever lies in it") func folderTwin() throws {
    let lab = try PackageLab()
    let bytes = PackageLab.zip {
      $0.add("Contents/maps/0")
      for index in 1..<50 { $0.add("Contents/Maps/\(index)") }
    }
    let report = try PackageInspection.judge(path: try lab.write("package", bytes))
    #expect(report.faults.map(\.path) == ["Contents/Maps"])
  }

  @Test("an installer's package is told apart") func installersPackage() throws {
    let lab = try PackageLab()
    let xar = TestXar(
      files: TestXar.entry("PackageInfo", type: "file") + TestXar.entry("Payload", type: "file"))
    let report = try PackageInspection.judge(path: try lab.write("package", xar.bytes))
    #expect(report.faults.map(\.code) == [.infoMissing, .contentsMissing, .stray, .stray])
    #expect(report.faults[3].message.contains("installer"))
  }

  @Test("names of an installed package's tool beside the two are named once each")
  func namesInstalled() throws {
    let lab = try PackageLab()
    var zip = PackageLab.goodZip()
    for index in 0..<20 { zip.add("__MACOSX/\(index)") }
    let report = try PackageInspection.judge(path: try lab.write("package", zip.bytes))
    #expect(report.faults.map(\.path) == ["__MACOSX"])
  }

  @Test("every fault is listed at once") func everyFault() throws {
    let lab = try PackageLab()
    var zip = TestZip()
    zip.add("README")
    zip.add("../evil")
    zip.link("Contents/l", to: "/etc")
    zip.add("Contents/run", "#!/bin/sh", mode: 0o100755)
    let report = try PackageInspection.judge(path: try lab.write("package", zip.bytes))
    #expect(
      report.faults.map(\.code) == [
        .climbingPath, .linkOutside, .executable, .infoMissing, .stray,
      ])
  }

  @Test("faults beyond the limit are counted") func faultsBeyond() throws {
    let lab = try PackageLab()
    var zip = PackageLab.goodZip()
    for index in 0..<10 { zip.add("../\(index)") }
    var limits = PackageLimits()
    limits.faultsMax = 4
    let report = try PackageInspection.judge(
      path: try lab.write("package", zip.bytes), limits: limits)
    #expect(report.faults.count == 4)
    #expect(report.faultsLeftOff == 6)
  }

  @Test("a leading dot and a slash mean nothing") func leadingDot() throws {
    let lab = try PackageLab()
    var zip = TestZip()
    zip.add("./", "", mode: 0o040755)
    zip.add("./ContentInfo.plist", PackageLab.info())
    zip.add("./Contents/", "", mode: 0o040755)
    zip.add("./Contents/a.txt")
    let report = try PackageInspection.judge(path: try lab.write("package", zip.bytes))
    #expect(report.faults == [])
    #expect(report.files.map(\.path) == ["ContentInfo.plist", "Contents/a.txt"])
  }

  @Test("a link within the package is good") func linkWithin() throws {
    let lab = try PackageLab()
    let path = try lab.goodFolder()
    try lab.link("good/Contents/sub/l", to: "../a.txt")
    try lab.link("good/Contents/d", to: "sub")
    #expect(try PackageInspection.judge(path: path).faults == [])
  }

  @Test("data with a run bit is no code") func dataWith() throws {
    let lab = try PackageLab()
    let path = try lab.goodFolder()
    try lab.write("good/Contents/a.txt", "text", mode: 0o755)
    try lab.write("good/Contents/notes", "#! is how scripts begin")
    #expect(try PackageInspection.judge(path: path).faults == [])
  }

  @Test("a zip may state sizes after its data") func zipMay() throws {
    let lab = try PackageLab()
    let bytes = PackageLab.zip { zip in
      zip.entries[1].statesSizesBehind = true
      zip.entries[1].localBytes = 0
      zip.entries[1].localChecksum = 0
    }
    #expect(try PackageInspection.judge(path: lab.write("good.zip", bytes)).faults == [])
  }

  @Test("a zip may have a ZIP64 end record, and names twice alike") func zipTwice() throws {
    let lab = try PackageLab()
    let ends: [@Sendable (inout TestZip.End) -> Void] = [
      { $0.addLarge() },
      { end in
        end.addLarge()
        end.record.replaceSubrange(8..<20, with: [UInt8](repeating: 0xFF, count: 12))
      },
    ]
    for change in ends {
      let bytes = PackageLab.zip { zip in
        let own = zip.entries[1].name
        zip.entries[1].extra = TestZip.Entry.otherName("Contents/a.txt", insteadOf: own)
        zip.end = change
      }
      #expect(try PackageInspection.judge(path: lab.write("good.zip", bytes)).faults == [])
    }
  }

  @Test("a xar may hold hard links to a file") func xarMay() throws {
    let lab = try PackageLab()
    let link = "<file id=\"8\"><name>h</name><type link=\"7\">hardlink</type></file>"
    let original =
      "<file id=\"7\"><name>o</name><type link=\"original\">hardlink</type></file>"
    let bytes = PackageLab.xar("", inContents: original + link).bytes
    #expect(try PackageInspection.judge(path: lab.write("good.pkg", bytes)).faults == [])
  }

  @Test("a folder of too many entries is reported as that") func folderToo() throws {
    let lab = try PackageLab()
    let path = try lab.goodFolder()
    for index in 0..<60 { try lab.write("good/Contents/\(index)", "x") }
    let report = try PackageInspection.judge(path: path, limits: .small)
    #expect(report.faults.map(\.code).contains(.tooManyEntries), "\(report.faults)")
  }

  @Test("entries that alternate between two deep folders are read") func entriesAlternate() throws {
    let lab = try PackageLab()
    let deep = String(repeating: "/é", count: 290)
    let bytes = PackageLab.zip { zip in
      for index in 0..<5_000 { zip.add("Contents/\(index % 2)\(deep)/\(index)") }
    }
    #expect(try PackageInspection.judge(path: lab.write("deep.zip", bytes)).faults == [])
  }

  @Test("a package that is missing says so") func packageMissing() throws {
    let lab = try PackageLab()
    #expect(throws: ContentError(.missing, path: "", "")) {
      try PackageInspection.judge(path: lab.path("nowhere"))
    }
    #expect(throws: ContentError(.missing, path: "", "")) {
      try PackageInspection.judge(path: "")
    }
  }
}
