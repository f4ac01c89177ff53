/// Tests are named in one style, so that a report reads as prose: `@Suite("A file writer")` names
/// the subject, and `@Test("reports a full disk")` goes on in lower case.
struct TestNameRule: TidyRule {
  func breaches(in file: SourceFile) -> [Breach] {
    guard file.isSwift, file.path.hasPrefix("Tests/") else { return [] }
    // The code decides what is an attribute; the original lines hold the name.
    let lines = file.lines.map { String(decoding: $0, as: UTF8.self).trimmed }
    return file.code.indices.compactMap { index in
      let code = String(decoding: file.code[index], as: UTF8.self).trimmed
      let attributes = ["@Test", "@Suite"].filter { code.hasPrefix($0) }
      guard let attribute = attributes.first else { return nil }
      let following = lines.dropFirst(index + 1).first ?? ""
      guard let name = Self.name(of: attribute, lines[index], following) else {
        return Breach(
          path: file.path, line: index + 1, message: "a name is missing: \(attribute)(\"…\")")
      }
      guard attribute == "@Test", Self.isCapitalized(name) else { return nil }
      return Breach(
        path: file.path, line: index + 1,
        message: "the name of a test begins in lower case: it goes on after that of its suite")
    }
  }

  /// Returns the first word of the name that an attribute gives, on its own line or the next one.
  private static func name(
    of attribute: String, _ line: Substring, _ following: Substring
  ) -> Substring? {
    let start = attribute + "("
    let argument = line == start ? following : line.dropFirst(start.count)
    guard line.hasPrefix(start), argument.first == "\"" else { return nil }
    return argument.dropFirst().prefix { $0 != " " && $0 != "\"" }
  }

  /// Whether a word begins with a capital letter and is no name with others, such as `JSON`.
  private static func isCapitalized(_ word: Substring) -> Bool {
    word.first?.isUppercase == true
      && !word.dropFirst().contains { $0.isUppercase || $0.isNumber }
  }
}

extension String {
  fileprivate var trimmed: Substring { drop { $0 == " " } }
}
