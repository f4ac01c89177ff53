import Foundation
import HostedContent
import LedgerEvents
import Testing

@Suite("Building a package") struct PackageBuilderTests {
  private static let formats: [PackageFormat] = [.pkg, .zip]

  private func builder(_ folder: String, _ format: PackageFormat) -> PackageBuilder {
    PackageBuilder(folder: folder, product: "atlas", version: "1.0", format: format)
  }

  @Test(
    "gives the same bytes for the same files, whenever and in whatever order they were made",
    arguments: formats)
  func givesSame(
    format: PackageFormat
  ) throws {
    let lab = try PackageLab()
    let names = ["a.txt", "a-b", "sub/b.bin", "sub/deep/c", "z", "caf\u{E9}"]
    for name in names { try lab.write("one/\(name)", name) }
    for name in names.reversed() { try lab.write("two/\(name)", name, mode: 0o600) }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)],
      ofItemAtPath: lab.path("two/z"))
    var built: [Data] = []
    for folder in ["one", "two"] {
      let path = lab.path("\(folder).package")
      let report = try builder(lab.path(folder), format).build(to: path)
      #expect(report.faults == [])
      built.append(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    #expect(built[0] == built[1])
  }

  @Test("what is built is valid, with the folder's digest", arguments: formats)
  func builtValid(format: PackageFormat) throws {
    let lab = try PackageLab()
    let folder = try lab.goodFolder()
    try lab.link("good/Contents/l", to: "sub/b.bin")
    try lab.write("good/Contents/empty", [])
    try lab.write("good/Contents/\u{FFFF} & < >", "odd")
    let made = try builder(folder, format).build(to: lab.path("package"))
    let read = try PackageInspection.judge(path: lab.path("package"))
    #expect(read.faults == [])
    #expect(made.digest == read.digest)
    #expect(read.files.map(\.path) == made.files.map(\.path))
    #expect(read.product == "atlas")
    #expect(read.version == "1.0")
  }

  @Test("plain files go below Contents") func plainFiles() throws {
    let lab = try PackageLab()
    try lab.write("files/a.txt", "text")
    try lab.write("files/Contents/b.txt", "text")
    let report = try builder(lab.path("files"), .zip).build(to: lab.path("package"))
    #expect(
      report.files.map(\.path) == [
        "ContentInfo.plist", "Contents/Contents/b.txt", "Contents/a.txt",
      ])
  }

  @Test("keeps the keys of a ContentInfo.plist, or refuses where it would lose them")
  func otherKeys() throws {
    let lab = try PackageLab()
    let info = { (version: String, more: String) in
      "<plist version=\"1.0\"><dict><key>IAPProductIdentifier</key>"
        + "<string>atlas</string>"
        + "<key>ContentVersion</key><string>\(version)</string>\(more)</dict></plist>"
    }
    let more = "<key>MinimumAppVersion</key><string>3.1</string>"
    try lab.write("own/Contents/a.txt", "text")
    let path = try lab.write("own/ContentInfo.plist", info("1.0", more))
    let build = { (name: String) throws in
      try builder(lab.path("own"), .zip).build(to: lab.path(name))
    }
    #expect(try build("kept").isValid)
    var kept = try OpenedPackage(path: lab.path("kept"))
    var read = [UInt8](repeating: 0, count: 4_096)
    var bytes: [UInt8] = []
    while let entry = try kept.next() {
      guard entry.path == "ContentInfo.plist" else { continue }
      bytes = Array(read[..<(try kept.read(into: &read))])
    }
    #expect(String(decoding: bytes, as: UTF8.self) == info("1.0", more))
    try Data(info("0.9", more).utf8).write(to: URL(filePath: path))
    #expect(throws: ContentError(.refused, path: "", "")) { try build("lost") }
    #expect(!FileManager.default.fileExists(atPath: lab.path("lost")))
    try Data(info("0.9", "").utf8).write(to: URL(filePath: path))
    #expect(try build("raised").isValid)
    try Data("<plist".utf8).write(to: URL(filePath: path))
    #expect(throws: ContentError(.malformed, path: "", "")) { try build("broken") }
  }

  @Test("a folder with ContentInfo.plist is a package already") func folderWith() throws {
    let lab = try PackageLab()
    let folder = try lab.goodFolder()
    try lab.write("good/README", "stray")
    let report = try builder(folder, .zip).build(to: lab.path("package"))
    #expect(report.faults.map(\.code) == [.stray])
  }

  @Test("a folder that would not validate is refused and nothing is written", arguments: formats)
  func folderWould(
    format: PackageFormat
  ) throws {
    let lab = try PackageLab()
    try lab.write("files/a.txt", "text")
    try lab.write("files/run", "#!/bin/sh", mode: 0o755)
    try lab.link("files/l", to: "/etc")
    let report = try builder(lab.path("files"), format).build(to: lab.path("package"))
    #expect(Set(report.faults.map(\.code)) == [.executable, .linkOutside])
    #expect(try FileManager.default.contentsOfDirectory(atPath: lab.path) == ["files"])
  }

  @Test("a file that is there is not overwritten unless that is said") func fileThere() throws {
    let lab = try PackageLab()
    let folder = try lab.goodFolder()
    let path = try lab.write("package", "precious")
    #expect(throws: ContentError(.exists, path: "", "")) {
      try builder(folder, .zip).build(to: path)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    #expect(try builder(folder, .zip).build(to: path, replaces: true).isValid)
    #expect(try PackageInspection.judge(path: path).isValid)
    let names = try FileManager.default.contentsOfDirectory(atPath: lab.path)
    #expect(names.sorted() == ["good", "package"])
  }

  @Test("a folder is never replaced") func folderNever() throws {
    let lab = try PackageLab()
    let folder = try lab.goodFolder()
    #expect(throws: ContentError(.exists, path: "", "")) {
      try builder(folder, .zip).build(to: folder, replaces: true)
    }
  }

  @Test("a file in place of the folder says what was expected") func fileInsteadOfFolder() throws {
    let lab = try PackageLab()
    let file = try lab.write("file", PackageLab.goodZip().bytes)
    #expect(throws: ContentError(.malformed, path: "", "")) {
      try builder(file, .zip).build(to: lab.path("package"))
    }
  }

  @Test("the version must rise") func versionMust() throws {
    let lab = try PackageLab()
    var builder = builder(try lab.goodFolder(), .zip)
    builder.expectations.versionOnOffer = { _ in .version("1.0") }
    #expect(
      try builder.build(to: lab.path("package")).faults.map(\.code) == [.versionNotHigher])
  }

  @Test("the bytes are what they were when this was written", arguments: formats)
  func bytesThey(format: PackageFormat) throws {
    let lab = try PackageLab()
    try lab.write("files/a.txt", "text")
    try lab.write("files/sub/b.txt", "more")
    try lab.link("files/l", to: "sub")
    _ = try builder(lab.path("files"), format).build(to: lab.path("package"))
    let digest = try PackageLab.digest(ofFile: lab.path("package"))
    #expect(digest == (format == .pkg ? Self.pkgDigest : Self.zipDigest))
  }

  private static let pkgDigest =
    "7fa0e7fdcdfe63b89e3c3d9df5db044e2a6abb86f7d75e522ffdd1fe851b5b29"
  private static let zipDigest =
    "263ca823d4705ce2f59da0a48b5f8f5aaa19fdbc2c87b90c4c9b546fabb9a73f"
}

@Suite("Heavy: building a large package") struct HeavyPackageBuilderTests {
  @Test("a zip of more than 65,535 entries is read again") func zipMore() throws {
    let lab = try PackageLab()
    let count = 66_000
    for index in 0..<count {
      if index % 1_000 == 0 { try lab.write("files/\(index / 1_000)/x", []) }
      let made = FileManager.default.createFile(
        atPath: lab.path("files/\(index / 1_000)/\(index)"), contents: nil)
      #expect(made)
    }
    let made = try PackageBuilder(
      folder: lab.path("files"), product: "atlas", version: "1.0", format: .zip
    ).build(to: lab.path("package"))
    let read = try PackageInspection.judge(path: lab.path("package"))
    #expect(read.faults == [])
    #expect(read.digest == made.digest)
    #expect(read.files.count == count + 66 + 1)
  }
}
