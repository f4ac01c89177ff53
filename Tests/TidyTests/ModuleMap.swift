import Foundation

/// The package's modules, as stated by its files: the targets in Package.swift, and their imports.
struct ModuleMap {
  /// A target of Package.swift.
  struct Target {
    let name: String
    let folder: String
  }

  private let targets: [Target]
  private let tree: PackageTree

  init(_ tree: PackageTree) {
    self.tree = tree
    let manifest = tree.files.first { $0.path == "Package.swift" }
    targets = manifest.map { Self.targets(in: String(decoding: $0.bytes, as: UTF8.self)) } ?? []
  }

  /// A row for each target that is not a test: its size, and the imported modules of the package.
  ///
  /// Lines and public declarations change with most commits. So a number of `shown` stays as long
  /// as it is about right.
  ///
  /// - Parameter shown: The table as it is on the page; empty to count everything anew.
  func table(keeping shown: String = "") -> String {
    var rows = [
      "| target | files | lines | public | imports |", "| --- | ---: | ---: | ---: | --- |",
    ]
    let known = Self.sizes(in: shown)
    let modules = Set(targets.map(\.name))
    for target in targets {
      let files = tree.files.filter {
        $0.path.hasPrefix(target.folder + "/") && $0.path.hasSuffix(".swift")
      }
      let imported = Set(files.flatMap { ImportRule.imports(of: $0) }).intersection(modules)
        .subtracting([target.name])
      let names = order(imported).map { "`\($0)`" }.joined(separator: ", ")
      let texts = files.map { String(decoding: $0.bytes, as: UTF8.self) }
      let found = Size(texts)
      let size = known[target.name].flatMap { $0.isAbout(found) ? $0 : nil } ?? found
      rows.append(
        "| `\(target.name)` | \(files.count) | \(size.lines) | \(size.declarations) | \(names) |")
    }
    return rows.map { $0 + "\n" }.joined()
  }

  /// The size of a target.
  struct Size: Equatable {
    var lines: Int
    /// The number of public declarations.
    var declarations: Int

    /// A tenth, and a little more for small targets.
    private static func tolerance(of number: Int) -> Int { number / 10 + 10 }

    init(lines: Int, declarations: Int) {
      self.lines = lines
      self.declarations = declarations
    }

    init(_ texts: [String]) {
      let all = texts.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      lines = all.count - texts.count
      declarations = all.count { line in
        let words = line.split(separator: " ")
        guard let at = words.firstIndex(of: "public") else { return false }
        return words[..<at].allSatisfy { $0.hasPrefix("@") }
          && words.dropFirst(at + 1).first != "import"
      }
    }

    /// Returns whether the numbers are close to those of `other`.
    func isAbout(_ other: Size) -> Bool {
      abs(lines - other.lines) <= Self.tolerance(of: other.lines)
        && abs(declarations - other.declarations) <= Self.tolerance(of: other.declarations)
    }
  }

  /// Returns the sizes that a table shows, by target.
  static func sizes(in table: String) -> [String: Size] {
    var sizes: [String: Size] = [:]
    for row in table.split(separator: "\n") {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count >= 4, let lines = Int(cells[2]), let declarations = Int(cells[3]) else {
        continue
      }
      sizes[cells[0].trimmingCharacters(in: ["`"])] = Size(
        lines: lines, declarations: declarations)
    }
    return sizes
  }

  /// Returns the names in the order of Package.swift, where a module comes after those that it
  /// imports.
  private func order(_ names: Set<String>) -> [String] {
    targets.map(\.name).filter(names.contains)
  }

  /// Returns the targets of a manifest, without those for tests.
  static func targets(in manifest: String) -> [Target] {
    let kinds = [".systemLibrary(", ".target(", ".executableTarget(", ".testTarget("]
    var found: [Target] = []
    /// The kind of the target whose name comes next.
    var kind: String?
    for line in manifest.split(separator: "\n") {
      let text = line.drop { $0 == " " }
      kind = kinds.first { text.hasPrefix($0) } ?? kind
      if let begun = kind, let name = text.argument("name:") {
        let root = begun == ".testTarget(" ? "Tests" : "Sources"
        found.append(Target(name: name, folder: "\(root)/\(name)"))
        kind = nil
      }
      if let path = text.argument("path:"), let last = found.popLast() {
        found.append(Target(name: last.name, folder: path))
      }
    }
    return found.filter { !$0.folder.hasPrefix("Tests/") }
  }
}

extension Substring {
  /// Returns the text in quotation marks after `label` on this line.
  fileprivate func argument(_ label: String) -> String? {
    guard let start = range(of: label + " \"") else { return nil }
    let text = self[start.upperBound...]
    return text.firstIndex(of: "\"").map { String(text[..<$0]) }
  }
}
