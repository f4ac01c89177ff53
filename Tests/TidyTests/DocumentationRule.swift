/// Every public type, function and subscript of a library must have a documentation comment. For a
/// property or a memberwise initializer, its name and its type's comment may be enough.
struct DocumentationRule: TidyRule {
  /// Witnesses that their protocol documents.
  private static let witnesses: Set<String> = [
    "hash", "encode", "makeIterator", "next",
  ]

  func breaches(in file: SourceFile) -> [Breach] {
    guard file.path.hasPrefix("Sources/"), file.isSwift else { return [] }
    return file.code.indices.compactMap { index in
      guard let name = Self.publicName(on: file.code[index]) else { return nil }
      if Self.isDocumented(index, in: file.lines) { return nil }
      return Breach(
        path: file.path, line: index + 1, message: "public \(name) has no documentation comment")
    }
  }

  /// Returns the name that a line declares publicly, if it needs a comment.
  private static func publicName(on line: ArraySlice<UInt8>) -> String? {
    guard line.contains(UInt8(ascii: "p")) || line.contains(UInt8(ascii: "o")) else { return nil }
    let words = line.words
    guard let access = words.firstIndex(where: { $0 == "public" || $0 == "open" }) else {
      return nil
    }
    let rest = words[(access + 1)...]
    guard line.trimmed.begins(with: "public") || line.trimmed.begins(with: "@"),
      let kind = rest.first(where: kinds.contains), !silent.contains(kind)
    else { return nil }
    let name = rest.drop { $0 != kind }.dropFirst().first ?? kind
    return witnesses.contains(name) || declaresComparison(line) ? nil : name
  }

  private static func declaresComparison(_ line: ArraySlice<UInt8>) -> Bool {
    ["func ==", "func <", "func ~="].contains { !line.offsets(of: [UInt8]($0.utf8)).isEmpty }
  }

  private static let kinds: Set<String> = [
    "import", "extension", "struct", "class", "enum", "actor", "protocol", "func", "subscript",
    "typealias", "macro", "var", "let", "init",
  ]

  private static let silent: Set<String> = ["import", "extension", "var", "let", "init"]

  /// Returns whether there is a documentation comment above, with only attributes in between.
  private static func isDocumented(_ index: Int, in lines: [ArraySlice<UInt8>]) -> Bool {
    for line in lines[..<index].reversed() {
      let trimmed = line.trimmed
      if trimmed.begins(with: "///") || trimmed.begins(with: "*/") { return true }
      guard
        trimmed.begins(with: "@") || trimmed.begins(with: "//")
          || trimmed.begins(with: "#if") || trimmed.begins(with: "#endif")
      else { return false }
    }
    return false
  }
}
