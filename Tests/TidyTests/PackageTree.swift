import Foundation

/// The files of the package, as a fresh clone would have them.
struct PackageTree {
  /// Files by their path relative to the package's folder, sorted.
  let files: [SourceFile]

  /// The package's folder, found from where this file was compiled.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Read once for all checks.
  static let current = PackageTree(at: root)

  /// What tools leave in a folder and `.gitignore` keeps out of a commit.
  private static let leftByTools: Set<String> = [
    ".git", ".swiftpm", ".venv", ".vscode", ".idea", ".DS_Store", "Package.resolved",
    "__pycache__", "daybook.ledger", "xcuserdata",
  ]

  /// Read whole; of other files only the path is looked at.
  private static let textExtensions: Set<String> = [
    "", "c", "css", "h", "html", "js", "md", "mjs", "modulemap", "py", "sh", "swift", "txt", "yml",
  ]

  init(at root: URL) {
    var found: [SourceFile] = []
    Self.collect(root, under: "", into: &found)
    files = found.sorted { $0.path < $1.path }
  }

  private static func collect(_ folder: URL, under prefix: String, into found: inout [SourceFile]) {
    for place in entries(of: folder) {
      let name = place.lastPathComponent
      if leftByTools.contains(name) || name.hasPrefix(".build") { continue }
      if place.hasDirectoryPath {
        collect(place, under: prefix + name + "/", into: &found)
        continue
      }
      let dot = name.dropFirst().lastIndex(of: ".")
      let isText = textExtensions.contains(dot.map { String(name[$0...].dropFirst()) } ?? "")
      let bytes = isText ? FileManager.default.contents(atPath: place.path) : nil
      found.append(SourceFile(path: prefix + name, bytes: bytes.map { [UInt8]($0) } ?? []))
    }
  }

  /// What lies in a folder; nothing where it cannot be read.
  private static func entries(of folder: URL) -> [URL] {
    do {
      return try FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: [.isDirectoryKey])
    } catch {
      return []
    }
  }
}
