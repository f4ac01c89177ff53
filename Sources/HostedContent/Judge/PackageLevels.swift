/// Records what is at the top of a package, and where its two parts are if they are not at the top.
struct PackageLevels {
  static let contents = "Contents"

  /// The top-level names of the packages that pkgbuild and productbuild make from programs.
  private static let installerNames: Set<String> = [
    "Bom", "Distribution", "PackageInfo", "Payload",
  ]

  /// The other names at the top, in order of appearance.
  private(set) var others: [String] = []
  private var known: Set<String> = []
  private(set) var hasInfo = false
  private(set) var isInfoFile = false
  private(set) var isContentsFolder = true
  private(set) var hasContents = false
  /// Whether anything but folders is below `Contents`.
  private(set) var hasFiles = false
  /// Whether a file is below `Contents` but not below `Contents/Contents`.
  private(set) var hasFilesBesideDoubled = false
  /// The first folder below the top that has a `ContentInfo.plist`, and the first that has a
  /// `Contents`.
  private(set) var infoFolder: String?
  private(set) var contentsFolder: String?

  mutating func note(_ path: PackagePath, _ kind: PackageEntry.Kind) {
    let parts = path.components
    guard let first = parts.first, let last = parts.last else { return }
    let isFolder = kind == .folder
    if parts.count == 1 && first.isSameBytes(as: ContentInfo.fileName) {
      hasInfo = true
      if case .file = kind { isInfoFile = true }
      return
    }
    if first.isSameBytes(as: Self.contents) {
      hasContents = true
      if parts.count == 1 { isContentsFolder = isFolder }
      if !isFolder && parts.count > 1 {
        hasFiles = true
        if !parts[1].isSameBytes(as: Self.contents) || parts.count == 2 {
          hasFilesBesideDoubled = true
        }
      }
    } else if known.insert(String(first)).inserted {
      others.append(String(first))
    }
    noteDeeper(parts, last, isFolder)
  }

  private mutating func noteDeeper(_ parts: [Substring], _ last: Substring, _ isFolder: Bool) {
    if infoFolder == nil, parts.count > 1, last.isSameBytes(as: ContentInfo.fileName) {
      infoFolder = parts.dropLast().joined(separator: "/")
    }
    if contentsFolder == nil,
      let found = parts.dropFirst().firstIndex(where: { $0.isSameBytes(as: Self.contents) }),
      isFolder || found < parts.count - 1
    {
      contentsFolder = parts[..<found].joined(separator: "/")
    }
  }

  /// Returns the faults in the levels. Each other name at the top is listed once.
  func faults() -> [PackageFault] {
    var faults: [PackageFault] = []
    let wrong = isOneLevelOff
    if let wrong {
      faults.append(
        PackageFault(
          .wrongLevel, path: wrong,
          "contains what belongs at the top of the package: pack the contents of \(wrong), not "
            + "\(wrong) itself, so that ContentInfo.plist and Contents are at the top."))
    }
    if !hasInfo {
      let found = infoFolder.map { " There is one in \($0)." } ?? ""
      faults.append(
        PackageFault(
          .infoMissing, path: ContentInfo.fileName,
          "is missing: put it at the top of the package, with ContentVersion and "
            + "IAPProductIdentifier.\(found)"))
    } else if !isInfoFile {
      faults.append(
        PackageFault(.infoUnreadable, path: ContentInfo.fileName, "is not a regular file."))
    }
    contentsFaults(&faults)
    for name in others where wrong.map({ !$0.isSameBytes(as: name) }) ?? true {
      faults.append(PackageFault(.stray, path: name, Self.advice(on: name)))
    }
    return faults
  }

  /// The path of a folder that contains the whole package.
  private var isOneLevelOff: String? {
    if !hasInfo, let infoFolder { return infoFolder }
    if !hasContents, let contentsFolder { return contentsFolder }
    return nil
  }

  private func contentsFaults(_ faults: inout [PackageFault]) {
    if !hasContents {
      let found = contentsFolder.map { " There is one in \($0)." } ?? ""
      faults.append(
        PackageFault(
          .contentsMissing, path: Self.contents,
          "is missing: put the files into a folder Contents at the top.\(found)"))
    } else if !isContentsFolder {
      faults.append(
        PackageFault(.contentsMissing, path: Self.contents, "is not a folder: make it one."))
    } else if !hasFiles {
      faults.append(
        PackageFault(.contentsMissing, path: Self.contents, "contains no files."))
    } else if !hasFilesBesideDoubled {
      faults.append(
        PackageFault(
          .wrongLevel, path: "Contents/Contents",
          "is one level too deep: the files belong directly in Contents."))
    }
  }

  private static func advice(on name: String) -> String {
    if name.hasPrefix("._") || name == "__MACOSX" || name == ".DS_Store" {
      return "was created by the Finder: pack without it (zip -X, ditto --norsrc)."
    }
    if installerNames.contains(name) || name.hasSuffix(".pkg") {
      return "is part of an installer package, whose files are in a Payload: expand that "
        + "(pkgutil --expand-full), and build a package from its ContentInfo.plist and Contents."
    }
    if name.lowercased() == contents.lowercased() {
      return "must be written as Contents, with a capital C."
    }
    if name.lowercased() == ContentInfo.fileName.lowercased() {
      return "must be written as ContentInfo.plist, with these capitals."
    }
    return "is beside ContentInfo.plist and Contents, where nothing else belongs: move it into "
      + "Contents, or leave it out."
  }
}
