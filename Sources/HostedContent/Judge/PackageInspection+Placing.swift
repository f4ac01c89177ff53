extension PackageInspection {
  /// Checks an entry's path and kind, and adds it to the table.
  ///
  /// - Returns: Whether a file at that path is listed.
  mutating func place(_ entry: PackageEntry, _ path: PackagePath) -> Bool {
    guard entry.isPathValid else {
      add(.invalidUTF8, path.text, "has a name that is not UTF-8: rename it.")
      return false
    }
    let own = path.faults(limits)
    for fault in own { add(fault.code, fault.path, fault.message) }
    switch entry.kind {
    case .special(let name):
      add(.special, path.text, "is \(name): pack only files and folders.")
    case .link(let target):
      judge(link: target, at: path)
    default:
      break
    }
    guard own.isEmpty else { return false }
    levels.note(path, entry.kind)
    let faults = paths.enter(path, tableKind(of: entry.kind))
    for fault in faults { add(fault.code, fault.path, fault.message) }
    if path.text.isSameBytes(as: ContentInfo.fileName), case .file = entry.kind { info = [] }
    guard faults.isEmpty else { return false }
    switch entry.kind {
    case .hardLink(let target): enter(hardLink: target, at: path)
    case .link(let target):
      links.append((path, target))
      files.append(PackageFile(path: path.text, content: .link(target: target)))
    default: break
    }
    return true
  }

  private func tableKind(of kind: PackageEntry.Kind) -> PathTable.Kind {
    switch kind {
    case .file, .hardLink: .file(index: files.count)
    case .folder: .folder(isStated: true)
    case .link: .link
    case .special: .special
    }
  }

  /// Enters another name of a file. It is listed like the original file.
  private mutating func enter(hardLink target: String, at path: PackagePath) {
    let original = PackagePath(target, isFolder: false)
    guard original.faults(limits).isEmpty, !original.text.isSameBytes(as: path.text),
      let entry = paths.entry(at: original.components),
      case .file(let index) = paths.kind(of: entry), index < files.count,
      files[index].path.isSameBytes(as: original.text)
    else {
      add(
        .hardLink, path.text,
        "is another name of \(target), which is not an earlier file: pack it as a file.")
      return
    }
    count(stated: files[index].bytes, path)
    files.append(PackageFile(path: path.text, content: files[index].content))
  }

  /// Checks a link by itself. Its target is checked at the end.
  private mutating func judge(link target: String, at path: PackagePath) {
    if target.utf8.first == UInt8(ascii: "/") {
      add(
        .linkOutside, path.text,
        "is a link to \(target), which is absolute: link only to files in the package.")
    } else if Self.resolved(target, from: path) == nil {
      add(
        .linkOutside, path.text,
        "is a link to \(target), out of the package: link only to files in the package.")
    } else if target.utf8.count > limits.pathBytesMax || target.utf8.contains(0) {
      add(.invalidName, path.text, "is a link to a path that no device accepts: shorten it.")
    }
  }

  /// Returns the components of the path that a link leads to; nil if it leaves the package.
  static func resolved(_ target: String, from path: PackagePath) -> [Substring]? {
    var parts = Array(path.components.dropLast())
    for part in PackagePath.split(target) {
      if part.isEmpty || part.utf8.elementsEqual(".".utf8) { continue }
      if part.utf8.elementsEqual("..".utf8) {
        guard parts.popLast() != nil else { return nil }
      } else {
        parts.append(part)
      }
    }
    return target.isEmpty ? nil : parts
  }

  /// Follows every link step by step, after all entries are known.
  ///
  /// - Complexity: O(*b*) in the total bytes of all links' paths and targets.
  mutating func judgeLinks() {
    for (path, target) in links where target.utf8.first != UInt8(ascii: "/") {
      guard var entry = paths.entry(at: path.components.dropLast()) else { continue }
      for part in PackagePath.split(target) {
        if part.isEmpty || part.utf8.elementsEqual(".".utf8) { continue }
        if part.utf8.elementsEqual("..".utf8) {
          guard case .folder = paths.kind(of: entry) else {
            addLinkToNothing(path, target)
            break
          }
          guard let parent = paths.parent(of: entry) else { break }
          entry = parent
          continue
        }
        guard let next = paths.child(part, of: entry) else {
          addLinkToNothing(path, target)
          break
        }
        entry = next
        if case .link = paths.kind(of: entry) {
          add(
            .linkThroughLink, path.text,
            "leads through \(paths.path(of: entry)), which is also a link: link to the file "
              + "itself.")
          break
        }
        if case .special = paths.kind(of: entry) {
          addLinkToNothing(path, target)
          break
        }
      }
    }
  }

  private mutating func addLinkToNothing(_ path: PackagePath, _ target: String) {
    add(
      .linkToNothing, path.text,
      "is a link to \(target), which is not in the package: add that, or leave the link out.")
  }
}
