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

  /// A row for each target that is not a test: the number of Swift files and the imported modules
  /// of the package.
  var table: String {
    var rows = ["| target | files | imports |", "| --- | ---: | --- |"]
    for target in targets {
      let files = tree.files.filter {
        $0.path.hasPrefix(target.folder + "/") && $0.path.hasSuffix(".swift")
      }
      let known = Set(targets.map(\.name))
      let imported = Set(files.flatMap { ImportRule.imports(of: $0) }).intersection(known)
        .subtracting([target.name])
      let names = order(imported).map { "`\($0)`" }.joined(separator: ", ")
      rows.append("| `\(target.name)` | \(files.count) | \(names) |")
    }
    return rows.map { $0 + "\n" }.joined()
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
