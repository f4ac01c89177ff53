import Foundation
import HostedContent
import Testing

@Suite("A package that is a folder") struct FolderPackageTests {
  @Test("of more than the store takes is refused without being read") func moreThan() throws {
    let lab = try PackageLab()
    let path = try lab.goodFolder()
    let sparse = try lab.write("good/Contents/z.bin", [])
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: sparse))
    try file.truncate(atOffset: 2_000_000_001)
    try file.close()
    let report = try PackageInspection.judge(path: path)
    #expect(report.faults.map(\.code) == [.tooLarge])
    #expect(report.faults[0].path == "Contents/z.bin")
  }

  @Test("with a pipe is refused, and the pipe is not waited for") func withPipe() throws {
    let lab = try PackageLab()
    let path = try lab.goodFolder()
    try lab.shell("mkfifo good/Contents/p")
    let report = try PackageInspection.judge(path: path)
    #expect(report.faults.map(\.code) == [.special])
  }

  @Test("with a link out of it is refused, and the link is not followed") func withLink() throws {
    let lab = try PackageLab()
    let path = try lab.goodFolder()
    try lab.write("outside/secret", "secret")
    try lab.link("good/Contents/out", to: lab.path("outside"))
    let report = try PackageInspection.judge(path: path)
    #expect(report.faults.map(\.code) == [.linkOutside])
    #expect(!report.files.contains { $0.path.contains("secret") })
  }

  @Test("with a name that is no UTF-8 is refused") func withName() throws {
    let lab = try PackageLab()
    let path = try lab.goodFolder()
    try lab.shell("touch good/Contents/$'\\xff\\xfe'")
    let report = try PackageInspection.judge(path: path)
    #expect(report.faults.map(\.code) == [.invalidUTF8])
  }

  @Test(
    "that changes while it is read is told from one that does not",
    arguments: ["grow", "shrink", "rewrite", "add", "remove", "rename"])
  func changesWhile(change: String) throws {
    let lab = try PackageLab()
    let path = try lab.goodFolder()
    var package = try OpenedPackage(path: path)
    var sink = ChangingSink {
      switch change {
      case "grow": try lab.write("good/Contents/a.txt", "a longer text")
      case "shrink": try lab.write("good/Contents/sub/b.bin", [1])
      case "rewrite": try lab.write("good/ContentInfo.plist", PackageLab.info(version: "1.1"))
      case "add": try lab.write("good/Contents/sub/c.bin", [1])
      case "remove": try FileManager.default.removeItem(atPath: path + "/ContentInfo.plist")
      default:
        try FileManager.default.moveItem(
          atPath: path + "/Contents/a.txt", toPath: path + "/Contents/0.txt")
      }
    }
    #expect(throws: ContentError(.changed, path: "", "")) {
      _ = try PackageInspection.judge(&package, into: &sink)
    }
  }

  @Test("that does not change is read to its end") func doesNot() throws {
    let lab = try PackageLab()
    let path = try lab.goodFolder()
    var package = try OpenedPackage(path: path)
    var sink = ChangingSink {}
    #expect(try PackageInspection.judge(&package, into: &sink).isValid)
  }

  @Test("whose container is replaced while it is read is reported") func whoseContainer() throws {
    let lab = try PackageLab()
    let path = try lab.write("package", PackageLab.goodZip().bytes)
    var package = try OpenedPackage(path: path)
    var sink = ChangingSink { try lab.write("package", PackageLab.zip { $0.add("Contents/b") }) }
    sink.last = "Contents/a.txt"
    #expect(throws: ContentError(.changed, path: "", "")) {
      _ = try PackageInspection.judge(&package, into: &sink)
    }
  }
}

/// Changes the package when its last entry has been opened but not read yet.
private struct ChangingSink: PackageSink {
  let change: () throws -> Void
  /// The entry that is read last.
  var last = "Contents/sub/b.bin"
  private var isChanged = false

  init(_ change: @escaping () throws -> Void) { self.change = change }

  mutating func begin(_ entry: PackageEntry) throws(ContentError) {
    guard entry.path == last, !isChanged else { return }
    isChanged = true
    do {
      try change()
    } catch {
      throw ContentError(.inputOutput, path: entry.path, "\(error)")
    }
  }

  mutating func take(_ bytes: ArraySlice<UInt8>) throws(ContentError) {}
  mutating func end() throws(ContentError) {}
}
