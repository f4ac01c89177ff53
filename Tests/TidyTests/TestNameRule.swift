/// Tests are named by a sentence in quotation marks, so that a report reads as prose.
struct TestNameRule: TidyRule {
  func breaches(in file: SourceFile) -> [Breach] {
    guard file.isSwift, file.path.hasPrefix("Tests/") else { return [] }
    // The code decides what is an attribute; the original lines hold the name.
    let lines = file.lines.map { String(decoding: $0, as: UTF8.self).trimmed }
    return file.code.indices.compactMap { index in
      let code = String(decoding: file.code[index], as: UTF8.self).trimmed
      guard code.hasPrefix("@Test") else { return nil }
      let isNamed =
        lines[index].hasPrefix("@Test(\"")
        || (lines[index] == "@Test(" && lines.dropFirst(index + 1).first?.first == "\"")
      guard !isNamed else { return nil }
      return Breach(
        path: file.path, line: index + 1, message: "a test is named by a sentence: @Test(\"…\")")
    }
  }
}

extension String {
  fileprivate var trimmed: Substring { drop { $0 == " " } }
}
