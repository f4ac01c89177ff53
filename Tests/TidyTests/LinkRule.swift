/// The targets of links in a document inside the package exist, with the heading that a link names,
/// and so do the pages that a document or a comment cites, as in “`model.md` 5”.
struct LinkRule: TidyRule {
  /// The package's files, by path.
  let paths: Set<String>
  /// The headings of the pages, by path.
  private let anchors: [String: PageAnchors]

  init(_ files: [SourceFile]) {
    paths = Set(files.map(\.path))
    let pages = files.filter { $0.name.hasSuffix(".md") }
    anchors = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, PageAnchors(of: $0)) })
  }

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
    file.lines.enumerated().flatMap { index, line in
      Self.targets(on: line).filter { !isThere($0, from: file) }.map { target in
        Breach(
          path: file.path, line: index + 1, message: "links to \(target), which is not there")
      }
    }
  }

  /// Returns whether the target of a link is in the package, or is elsewhere.
  private func isThere(_ target: String, from file: SourceFile) -> Bool {
    if target.contains(":") { return true }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let page = Self.resolve(parts[0], in: file)
    guard paths.contains(page) || paths.contains(where: { $0.hasPrefix(page + "/") }) else {
      return false
    }
    guard parts.count > 1, let anchors = anchors[page] else { return true }
    return anchors.contains(parts[1])
  }

  /// Returns the texts in parentheses after a closing bracket.
  private static func targets(on line: ArraySlice<UInt8>) -> [String] {
    line.offsets(of: [UInt8]("](".utf8)).compactMap { offset in
      let rest = line[(offset + 2)...]
      guard let end = rest.firstIndex(of: UInt8(ascii: ")")) else { return nil }
      return String(decoding: rest[..<end], as: UTF8.self)
    }
  }

  /// Returns the path relative to the package's folder.
  private static func resolve(_ path: Substring, in file: SourceFile) -> String {
    if path.isEmpty { return file.path }
    var parts = Array(file.components.dropLast())
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
