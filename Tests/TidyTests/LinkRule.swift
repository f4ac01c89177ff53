/// The targets of links in a document inside the package exist, and so do the pages that a document
/// or a comment cites, as in “`model.md` 5”.
struct LinkRule: TidyRule {
  /// The package's files, by path.
  let paths: Set<String>

  func breaches(in file: SourceFile) -> [Breach] {
    citations(in: file) + (file.name.hasSuffix(".md") ? links(in: file) : [])
  }

  /// Returns pages in backquotes that are neither in `docs` nor elsewhere in the package.
  private func citations(in file: SourceFile) -> [Breach] {
    file.lines.enumerated().flatMap { index, line in
      String(decoding: line, as: UTF8.self).matches(of: /`([A-Za-z0-9_.\/-]+\.md)`/)
        .map { String($0.1) }
        .filter { page in !paths.contains { $0 == page || $0.hasSuffix("/" + page) } }
        .map { page in
          Breach(path: file.path, line: index + 1, message: "cites \(page), which is not there")
        }
    }
  }

  private func links(in file: SourceFile) -> [Breach] {
    let folder = file.components.dropLast()
    return file.lines.enumerated().flatMap { index, line in
      Self.targets(on: line).compactMap { target in
        guard let path = Self.resolve(target, in: Array(folder)), !isThere(path) else {
          return nil
        }
        return Breach(
          path: file.path, line: index + 1, message: "links to \(target), which is not there")
      }
    }
  }

  private func isThere(_ path: String) -> Bool {
    paths.contains(path) || paths.contains { $0.hasPrefix(path + "/") }
  }

  /// Returns the texts in parentheses after a closing bracket.
  private static func targets(on line: ArraySlice<UInt8>) -> [String] {
    line.offsets(of: [UInt8]("](".utf8)).compactMap { offset in
      let rest = line[(offset + 2)...]
      guard let end = rest.firstIndex(of: UInt8(ascii: ")")) else { return nil }
      return String(decoding: rest[..<end], as: UTF8.self)
    }
  }

  /// Returns the path relative to the package's folder; nil for a target elsewhere.
  private static func resolve(_ target: String, in folder: [String]) -> String? {
    let path = target.prefix { $0 != "#" }
    guard !path.isEmpty, !path.contains(":") else { return nil }
    var parts = folder
    for part in path.split(separator: "/") {
      switch part {
      case ".": continue
      case "..": _ = parts.popLast()
      default: parts.append(String(part))
      }
    }
    return parts.joined(separator: "/")
  }
}
