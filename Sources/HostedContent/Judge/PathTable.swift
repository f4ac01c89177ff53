/// All paths of a package, as a tree of names that are compared as by a file system that ignores
/// case and normalization.
struct PathTable {
  enum Kind: Equatable {
    /// A folder with its own entry, or known only from the entries inside it.
    case folder(isStated: Bool)
    /// A file by its index in the list of files.
    case file(index: Int)
    case link
    case special
  }

  /// An entry of the table.
  struct Entry: Hashable {
    fileprivate var index: Int
  }

  private struct Node {
    var parent: Int
    /// The name, as the first entry wrote it.
    var name: String
    var kind: Kind
  }

  private struct Key: Hashable {
    var parent: Int
    /// The folded name. Swift's `==` uses canonical equivalence, which is intended here.
    var name: String
  }

  /// The nodes, beginning with the package itself.
  private var nodes = [Node(parent: 0, name: "", kind: .folder(isStated: true))]
  private var indexes: [Key: Int] = [:]
  /// The folder that was found last. Entries of one folder usually follow one another.
  private var last: (folder: String, index: Int) = ("", 0)
  /// The folders that were reported as twins, by the first folder and their own path.
  private var twins: Set<[UInt8]> = []

  static let root = Entry(index: 0)

  /// Returns what an entry is.
  func kind(of entry: Entry) -> Kind { nodes[entry.index].kind }

  /// Returns the folder that contains an entry; nil for the package itself.
  func parent(of entry: Entry) -> Entry? {
    entry == Self.root ? nil : Entry(index: nodes[entry.index].parent)
  }

  /// Returns the entry with exactly that name in a folder.
  ///
  /// - Complexity: O(1) in the number of entries.
  func child(_ name: Substring, of folder: Entry) -> Entry? {
    guard let index = indexes[Key(parent: folder.index, name: Self.folded(name))],
      nodes[index].name.isSameBytes(as: name)
    else { return nil }
    return Entry(index: index)
  }

  /// Returns the entry at exactly that path.
  ///
  /// - Complexity: O(*b*) in the number of bytes of the path.
  func entry(at components: some Sequence<Substring>) -> Entry? {
    var entry = Self.root
    for component in components {
      guard let next = child(component, of: entry) else { return nil }
      entry = next
    }
    return entry
  }

  /// Returns the path of an entry, as the first entry wrote it.
  func path(of entry: Entry) -> String {
    var names: [String] = []
    var index = entry.index
    while index != 0 {
      names.append(nodes[index].name)
      index = nodes[index].parent
    }
    return names.reversed().joined(separator: "/")
  }

  /// Adds a path and the folders above it, and returns conflicts.
  ///
  /// - Complexity: O(*b*) in the number of bytes of the path; of the name only, if the previous
  ///   entry was in the same folder.
  mutating func enter(_ path: PackagePath, _ kind: Kind) -> [PackageFault] {
    var faults: [PackageFault] = []
    let (folder, isExact) = enterFolders(above: path, &faults)
    let name = path.components.last ?? ""
    let key = Key(parent: folder, name: Self.folded(name))
    guard let index = indexes[key] else {
      add(String(name), key, kind)
      return faults
    }
    guard isExact, nodes[index].name.isSameBytes(as: name) else {
      faults.append(Self.sameName(path.text, self.path(of: Entry(index: index))))
      return faults
    }
    switch (nodes[index].kind, kind) {
    case (.folder(isStated: false), .folder):
      nodes[index].kind = kind
    case (.folder, .folder), (.file, .file), (.link, .link), (.special, .special):
      faults.append(
        PackageFault(.duplicate, path: path.text, "appears twice: pack it once."))
    default:
      faults.append(
        PackageFault(
          .fileAndFolder, path: path.text,
          "appears twice, as \(Self.name(nodes[index].kind)) and as \(Self.name(kind))."))
    }
    return faults
  }

  private mutating func add(_ name: String, _ key: Key, _ kind: Kind) {
    indexes[key] = nodes.count
    nodes.append(Node(parent: key.parent, name: name, kind: kind))
  }

  /// Returns the folder of a path, entering it if it is new, and whether the bytes of its path
  /// match exactly.
  private mutating func enterFolders(
    above path: PackagePath, _ faults: inout [PackageFault]
  ) -> (index: Int, isExact: Bool) {
    guard path.components.count > 1 else { return (0, true) }
    let parentEnd = path.components[path.components.count - 2].endIndex
    let parent = path.text[..<parentEnd]
    if parent.isSameBytes(as: last.folder) { return (last.index, true) }
    var index = 0
    var isExact = true
    for component in path.components.dropLast() {
      let key = Key(parent: index, name: Self.folded(component))
      guard let found = indexes[key] else {
        index = nodes.count
        add(String(component), key, .folder(isStated: false))
        continue
      }
      index = found
      if !nodes[found].name.isSameBytes(as: component) {
        isExact = false
        reportTwin(path.text[..<component.endIndex], of: found, &faults)
      } else if let fault = faultBelow(found, path) {
        faults.append(fault)
      }
    }
    if faults.isEmpty && isExact { last = (String(parent), index) }
    return (index, isExact)
  }

  private mutating func reportTwin(
    _ folder: Substring, of index: Int, _ faults: inout [PackageFault]
  ) {
    guard twins.insert(Array(folder.utf8)).inserted else { return }
    faults.append(Self.sameName(String(folder), path(of: Entry(index: index))))
  }

  /// Returns a fault if a path is inside something that is not a folder.
  private func faultBelow(_ index: Int, _ path: PackagePath) -> PackageFault? {
    switch nodes[index].kind {
    case .folder: nil
    case .link:
      PackageFault(
        .belowLink, path: path.text,
        "is below \(self.path(of: Entry(index: index))), which is a link: pack a folder there.")
    case .file, .special:
      PackageFault(
        .fileAndFolder, path: path.text,
        "is below \(self.path(of: Entry(index: index))), which is "
          + "\(Self.name(nodes[index].kind)): pack a folder there.")
    }
  }

  private static func sameName(_ path: String, _ other: String) -> PackageFault {
    PackageFault(
      .sameName, path: path,
      "has the same name as \(other) if case and Unicode normalization are ignored, as on most "
        + "devices: rename one of them.")
  }

  private static func name(_ kind: Kind) -> String {
    switch kind {
    case .folder: "a folder"
    case .file: "a file"
    case .link: "a link"
    case .special: "a special file"
    }
  }

  /// Approximates full case folding by mapping to uppercase and then lowercase. Names that have the
  /// same uppercase form are equal here, which errs on the side of finding conflicts.
  private static func folded(_ name: Substring) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
    return name.uppercased().lowercased()
  }
}
