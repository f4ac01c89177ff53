/// Every path of a package, as a tree of names by which a file system that ignores case and normal
/// form would find them.
struct PathTable {
  enum Kind: Equatable {
    /// A folder, with an entry of its own, or known only from the entries in it.
    case folder(isStated: Bool)
    /// A file by its index in the list of files.
    case file(index: Int)
    case link
    case special
  }

  /// A path of the package that is entered.
  struct Place: Hashable {
    fileprivate var index: Int
  }

  private struct Node {
    var parent: Int
    /// As the first entry that stated it wrote it.
    var name: String
    var kind: Kind
  }

  private struct Key: Hashable {
    var parent: Int
    /// Folded. Swift's `==` of texts is canonical equivalence, which is wanted here.
    var name: String
  }

  /// The package itself first.
  private var nodes = [Node(parent: 0, name: "", kind: .folder(isStated: true))]
  private var indexes: [Key: Int] = [:]
  /// The folder looked at last and found good: entries of one folder come together.
  private var last: (folder: String, index: Int) = ("", 0)
  /// Folders that were reported as twins, by the place of the first and their own path.
  private var twins: Set<[UInt8]> = []

  static let root = Place(index: 0)

  /// What lies there.
  func kind(of place: Place) -> Kind { nodes[place.index].kind }

  /// The folder that a place lies in; nil of the package itself.
  func parent(of place: Place) -> Place? {
    place == Self.root ? nil : Place(index: nodes[place.index].parent)
  }

  /// What has exactly that name in a folder.
  ///
  /// - Complexity: O(1) in the number of entries.
  func child(_ name: Substring, of place: Place) -> Place? {
    guard let index = indexes[Key(parent: place.index, name: Self.folded(name))],
      nodes[index].name.isSameBytes(as: name)
    else { return nil }
    return Place(index: index)
  }

  /// What lies at exactly that path.
  ///
  /// - Complexity: O(*b*) in the path's bytes.
  func place(of components: some Sequence<Substring>) -> Place? {
    var place = Self.root
    for component in components {
      guard let next = child(component, of: place) else { return nil }
      place = next
    }
    return place
  }

  /// The path of a place, as it was stated first.
  func path(of place: Place) -> String {
    var names: [String] = []
    var index = place.index
    while index != 0 {
      names.append(nodes[index].name)
      index = nodes[index].parent
    }
    return names.reversed().joined(separator: "/")
  }

  /// Adds a path with the folders above it, and returns what conflicts.
  ///
  /// - Complexity: O(*b*) in the path's bytes; O(1) in those of its folder where the entry before
  ///   lay beside it.
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
      faults.append(Self.sameName(path.text, self.path(of: Place(index: index))))
      return faults
    }
    switch (nodes[index].kind, kind) {
    case (.folder(isStated: false), .folder):
      nodes[index].kind = kind
    case (.folder, .folder), (.file, .file), (.link, .link), (.special, .special):
      faults.append(
        PackageFault(.duplicate, path: path.text, "stands twice: pack it once."))
    default:
      faults.append(
        PackageFault(
          .fileAndFolder, path: path.text,
          "stands twice, once as \(Self.name(nodes[index].kind)) and once as \(Self.name(kind))."))
    }
    return faults
  }

  private mutating func add(_ name: String, _ key: Key, _ kind: Kind) {
    indexes[key] = nodes.count
    nodes.append(Node(parent: key.parent, name: name, kind: kind))
  }

  /// The folder that a path lies in, entered where it is new, and whether its path is the same
  /// bytes all the way down.
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
    faults.append(Self.sameName(String(folder), path(of: Place(index: index))))
  }

  /// Why nothing may lie in what is no folder.
  private func faultBelow(_ index: Int, _ path: PackagePath) -> PackageFault? {
    switch nodes[index].kind {
    case .folder: nil
    case .link:
      PackageFault(
        .belowLink, path: path.text,
        "lies below \(self.path(of: Place(index: index))), which is a link: pack a folder there.")
    case .file, .special:
      PackageFault(
        .fileAndFolder, path: path.text,
        "lies below \(self.path(of: Place(index: index))), which is "
          + "\(Self.name(nodes[index].kind)): pack a folder there.")
    }
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

  /// Full case folding as far as it can be told from the mappings of Unicode's characters: what is
  /// the same in capitals is the same here, which folds rather too much than too little.
  private static func folded(_ name: Substring) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
    return name.uppercased().lowercased()
  }
}
