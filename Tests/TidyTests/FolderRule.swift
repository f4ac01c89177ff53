/// Every file is in the right folder for its kind, under a meaningful name.
struct FolderRule: TidyRule {
  private static let topLevel: Set<String> = [
    "Package.swift", "README.md", "CHANGELOG.md", "LICENSE", "LICENSE.md", ".gitignore",
    ".swift-format", ".swift-version", ".gitattributes", ".spi.yml",
  ]

  /// The kinds of files below a folder. If several folders match, the longest path applies.
  private static let kinds: [String: Set<String>] = [
    ".ci/": ["run", "sh"],
    ".github/": ["yml", "md"],
    "Schemas/": ["json", "md", "py", "txt", "jsonl", "bin", "hex"],
    "Sources/": ["swift", "html", "css", "js"],
    "Sources/CArchive/": ["modulemap", "h"],
    "Sources/CFolder/": ["modulemap", "h"],
    "Sources/CHeap/": ["modulemap", "h"],
    "Sources/CLMDB/": ["modulemap", "h"],
    "Sources/CSHA256/": ["c", "h"],
    "Tests/": ["swift", "json", "jsonl", "txt", "storekit", "hex", "bin", "md"],
    "Tests/TidyTests/": ["swift"],
    "Tools/": ["growth", "independent", "install", "mutants", "prepare", "quickstart", "test"],
    "Tools/Benchmarks/": ["swift", "c", "h", "md", "json", "run"],
    "Tools/Costs/": ["swift", "c", "h", "json", "md"],
    "Tools/CrashLab/": ["py", "md", "swift", "c"],
    "Tools/Example/": ["swift", "md"],
    "Tools/Fuzz/": ["swift", "md", "bin"],
    "Tools/Recorder/": ["swift", "jsonl", "md"],
    "Tools/StoreSimulator/": ["swift", "c", "h", "txt", "md"],
    "Tools/bench/": ["py", "c", "sql", "md"],
    "Tools/daybook/": ["swift"],
    "Tools/daybook-pull/": ["swift"],
    "Tools/daybook-serve/": ["swift"],
    "Tools/package/": [
      "build", "check", "boot", "Containerfile", "dockerignore", "py", "json", "yml", "conf",
    ],
    "Tools/package/debian/": [
      "control", "copyright", "rules", "Debian", "docs", "examples", "install", "manpages",
      "lintian-overrides", "postrm", "prerm", "service", "sysusers", "tmpfiles",
    ],
    "Tools/page/": ["mjs"],
    "Tools/prices/": ["c", "md"],
    "Tools/samples/": ["jsonl", "json", "csv", "storekit", "receipt", "pem", "md", "py"],
    "Tools/samples/atlas/": ["plist", "txt", "csv"],
    "Tools/service/": ["check", "py"],
    "Tools/signed/": ["py"],
    "Tools/sumdb/": ["go", "md"],
    "docs/": ["md", "txt", "json", "svg"],
  ]

  private static let catalogueKinds: Set<String> = ["md", "png", "svg", "json", "tutorial"]

  /// Names that do not say what a file is about.
  private static let emptyNames = [
    "Util", "Utils", "Utilities", "Helper", "Helpers", "Manager", "Common", "Misc", "Stuff",
  ]

  func breaches(in file: SourceFile) -> [Breach] {
    var found: [Breach] = []
    if !Self.isWelcome(file) {
      found.append(Breach(path: file.path, line: 0, message: "no file of this kind belongs here"))
    }
    if file.isSwift, let word = Self.emptyWord(in: file.name) {
      found.append(
        Breach(path: file.path, line: 0, message: "“\(word)” says nothing of what the file holds"))
    }
    return found
  }

  private static func isWelcome(_ file: SourceFile) -> Bool {
    guard file.components.count > 1 else { return topLevel.contains(file.path) }
    let name = file.name
    let kind = name.dropFirst().lastIndex(of: ".").map { String(name[$0...].dropFirst()) } ?? name
    if file.path.hasPrefix("Sources/"), file.components.contains(where: { $0.hasSuffix(".docc") }) {
      return catalogueKinds.contains(kind)
    }
    // A file directly in Sources or Tests belongs to no target.
    if ["Sources", "Tests"].contains(file.components[0]), file.components.count == 2 {
      return false
    }
    let folder = kinds.keys.filter(file.path.hasPrefix).max { $0.utf8.count < $1.utf8.count }
    return folder.flatMap { kinds[$0] }?.contains(kind) ?? false
  }

  /// Returns a word of a camel-case name that is in the list, alone or as a part.
  private static func emptyWord(in name: String) -> String? {
    let stem = name.prefix { $0 != "." }
    var words: [String] = []
    for character in stem {
      if character.isUppercase || words.isEmpty || character == "+" { words.append("") }
      words[words.count - 1].append(character)
    }
    return words.first(where: emptyNames.contains)
  }
}
