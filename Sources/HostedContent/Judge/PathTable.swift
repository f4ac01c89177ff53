internal import LedgerEvents

/// Every path of a package, by its name on a file system that ignores case and normal form.
struct PathTable {
  enum Kind: Equatable {
    /// A folder, with an entry of its own, or known only from the entries in it.
    case folder(isStated: Bool)
    /// A file, by its index in the list of files.
    case file(index: Int)
    case link
    case special
  }

  private struct Node {
    var path: String
    var kind: Kind
  }

  /// By folded path. Swift's `==` of texts is canonical equivalence, which is wanted here.
  private var nodes: [String: Node] = [:]
  /// The last folder that was checked and is valid. Entries of one folder come together.
  private var lastFolder = ""
  /// Folders that were already reported as twins. What is in them is not reported again.
  private var twins: Set<Name> = []

  /// What is at exactly that path.
  func kind(at path: some StringProtocol) -> Kind? {
    guard let node = nodes[Self.folded(path)], node.path.isSameBytes(as: path) else { return nil }
    return node.kind
  }

  /// Adds a path with the folders above it, and returns what conflicts.
  ///
  /// - Complexity: O(*d*) in the path's depth; O(1) if the previous entry was in the same folder.
  mutating func enter(_ path: PackagePath, _ kind: Kind) -> [PackageFault] {
    var faults = enterFolders(above: path)
    let key = Self.folded(path.text)
    guard let node = nodes[key] else {
      nodes[key] = Node(path: path.text, kind: kind)
      return faults
    }
    guard node.path.isSameBytes(as: path.text) else {
      faults.append(Self.sameName(path.text, node.path))
      return faults
    }
    switch (node.kind, kind) {
    case (.folder(isStated: false), .folder):
      nodes[key]?.kind = kind
    case (.folder, .folder), (.file, .file), (.link, .link), (.special, .special):
      faults.append(
        PackageFault(.duplicate, path: path.text, "stands twice: pack it once."))
    default:
      faults.append(
        PackageFault(
          .fileAndFolder, path: path.text,
          "stands twice, once as \(Self.name(node.kind)) and once as \(Self.name(kind))."))
    }
    return faults
  }

  private mutating func enterFolders(above path: PackagePath) -> [PackageFault] {
    guard path.components.count > 1 else { return [] }
    let parentEnd = path.components[path.components.count - 2].endIndex
    let parent = path.text[..<parentEnd]
    if parent.isSameBytes(as: lastFolder) { return [] }
    var faults: [PackageFault] = []
    for component in path.components.dropLast() {
      let folder = path.text[..<component.endIndex]
      let key = Self.folded(folder)
      guard let node = nodes[key] else {
        nodes[key] = Node(path: String(folder), kind: .folder(isStated: false))
        continue
      }
      if !node.path.isSameBytes(as: folder) {
        if twins.insert(Name(String(folder))).inserted {
          faults.append(Self.sameName(String(folder), node.path))
        }
        continue
      }
      switch node.kind {
      case .folder: break
      case .link:
        faults.append(
          PackageFault(
            .belowLink, path: path.text,
            "lies below \(node.path), which is a link: pack a folder there."))
      case .file, .special:
        faults.append(
          PackageFault(
            .fileAndFolder, path: path.text,
            "lies below \(node.path), which is \(Self.name(node.kind)): pack a folder there."))
      }
    }
    if faults.isEmpty { lastFolder = String(parent) }
    return faults
  }

  private static func sameName(_ path: String, _ other: String) -> PackageFault {
    PackageFault(
      .sameName, path: path,
      "is one name with \(other) where capitals and accents' forms do not count, as on most "
        + "devices: give one of them another name.")
  }

  private static func name(_ kind: Kind) -> String {
    switch kind {
    case .folder: "a folder"
    case .file: "a file"
    case .link: "a link"
    case .special: "a special file"
    }
  }

  /// Full case folding, as far as the mappings of Unicode's characters give it. What is equal in
  /// uppercase is equal here, which folds too much rather than too little.
  private static func folded(_ path: some StringProtocol) -> String {
    if path.utf8.allSatisfy({ $0 < 0x80 }) { return path.lowercased() }
    return path.uppercased().lowercased()
  }
}
