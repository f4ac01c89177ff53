import Foundation

/// The files of the package, as in a fresh clone.
struct PackageTree {
  /// The files by their path relative to the package's folder, sorted.
  let files: [SourceFile]

  /// The package's folder, found from the path of this source file.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The tree, read once for all checks.
  static let current = PackageTree(at: root)

  /// Files that tools create and `.gitignore` keeps out of commits.
  private static let leftByTools: Set<String> = [
    ".git", ".swiftpm", ".venv", ".vscode", ".idea", ".DS_Store", "Package.resolved",
    "__pycache__", "daybook.ledger", "xcuserdata",
  ]

  /// The files that are read. For other files, only the path is checked.
  private static let textExtensions: Set<String> = [
    "", "c", "css", "h", "html", "js", "md", "mjs", "modulemap", "py", "sh", "swift", "txt", "yml",
  ]

  init(at root: URL) {
    var found: [SourceFile] = []
    Self.collect(root, under: "", into: &found)
    files = found.sorted { $0.path < $1.path }
  }

  private static func collect(_ folder: URL, under prefix: String, into found: inout [SourceFile]) {
    for entry in entries(of: folder) {
      let name = entry.lastPathComponent
      if leftByTools.contains(name) || name.hasPrefix(".build") { continue }
      if entry.hasDirectoryPath {
        collect(entry, under: prefix + name + "/", into: &found)
        continue
      }
      let dot = name.dropFirst().lastIndex(of: ".")
      let isText = textExtensions.contains(dot.map { String(name[$0...].dropFirst()) } ?? "")
      let bytes = isText ? FileManager.default.contents(atPath: entry.path) : nil
      found.append(SourceFile(path: prefix + name, bytes: bytes.map { [UInt8]($0) } ?? []))
    }
  }

  /// Returns the contents of a folder; none if it cannot be read.
  private static func entries(of folder: URL) -> [URL] {
    do {
      return try FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: [.isDirectoryKey])
    } catch {
      return []
    }
  }
}
