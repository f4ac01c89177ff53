import Crypto
import Foundation
import HostedContent
import LedgerEvents
import Testing

/// A folder for packages that is removed after the test.
final class PackageLab {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "package-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func path(_ name: String) -> String { path + "/" + name }

  /// Writes a file, creating the folders above it.
  @discardableResult
  func write(_ name: String, _ bytes: [UInt8], mode: Int = 0o644) throws -> String {
    let file = path(name)
    let folder = (file as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return file
  }

  @discardableResult
  func write(_ name: String, _ text: String, mode: Int = 0o644) throws -> String {
    try write(name, Array(text.utf8), mode: mode)
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: path(name), withDestinationPath: target)
  }

  /// Writes a valid package as a folder.
  func goodFolder(_ name: String = "good") throws -> String {
    try write(name + "/ContentInfo.plist", Self.info())
    try write(name + "/Contents/a.txt", "text")
    try write(name + "/Contents/sub/b.bin", [UInt8](repeating: 7, count: 70_000))
    return path(name)
  }

  static func info(product: String = "atlas", version: String = "1.0") -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict><key>ContentVersion</key><string>\(version)</string>
    <key>IAPProductIdentifier</key><string>\(product)</string></dict></plist>
    """
  }

  static func goodZip() -> TestZip {
    var zip = TestZip()
    zip.add("ContentInfo.plist", info())
    zip.add("Contents/a.txt")
    return zip
  }

  static func zip(_ change: (inout TestZip) -> Void) -> [UInt8] {
    var zip = goodZip()
    change(&zip)
    return zip.bytes
  }

  /// Returns a zip with that `ContentInfo.plist` and one file.
  static func zip(info: [UInt8]) -> [UInt8] {
    var zip = TestZip()
    zip.add("ContentInfo.plist", data: info)
    zip.add("Contents/a.txt")
    return zip.bytes
  }

  /// Returns a valid xar with additional entries.
  static func xar(_ more: String, _ heap: [UInt8] = [], inContents: String = "") -> TestXar {
    let info = Array(info().utf8)
    let text = Array("text".utf8)
    return TestXar(
      files: TestXar.file("ContentInfo.plist", info, at: 0)
        + TestXar.entry(
          "Contents", type: "directory",
          TestXar.file("a.txt", text, at: info.count) + inContents) + more,
      heap: info + text + heap)
  }

  /// The number of heap bytes before those passed to ``xar(_:_:inContents:)``.
  static var xarHeapStart: Int { info().utf8.count + 4 }
}

/// Writes everything it receives without any checks: entries that the check passes on must be
/// harmless even then.
struct TrustingSink: PackageSink {
  let root: String
  private(set) var paths: [String] = []
  private var data: [UInt8] = []

  init(root: String) { self.root = root }

  mutating func begin(_ entry: PackageEntry) throws(ContentError) {
    paths.append(entry.path)
    data = []
    let path = root + "/" + entry.path
    let files = FileManager.default
    do {
      let folder = (path as NSString).deletingLastPathComponent
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      switch entry.kind {
      case .folder: try files.createDirectory(atPath: path, withIntermediateDirectories: true)
      case .link(let target):
        try files.createSymbolicLink(atPath: path, withDestinationPath: target)
      case .hardLink(let target):
        try files.linkItem(atPath: root + "/" + target, toPath: path)
      case .file, .special: break
      }
    } catch {
      throw ContentError(.inputOutput, path: path, "\(error)")
    }
  }

  mutating func take(_ bytes: ArraySlice<UInt8>) throws(ContentError) { data += bytes }

  mutating func end() throws(ContentError) {
    guard let path = paths.last, !data.isEmpty else { return }
    do {
      try Data(data).write(to: URL(fileURLWithPath: root + "/" + path))
    } catch {
      throw ContentError(.inputOutput, path: path, "\(error)")
    }
  }
}

extension PackageLab {
  /// Returns the SHA-256 of a file's bytes, in hexadecimal digits.
  static func digest(ofFile path: String) throws -> String {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    return ContentDigest(SHA256.hash(data: bytes)).hexadecimal
  }
}

extension PackageLab {
  /// Runs a line of bash in the folder.
  func shell(_ line: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", line]
    process.currentDirectoryURL = URL(fileURLWithPath: path)
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(line)")
  }
}
