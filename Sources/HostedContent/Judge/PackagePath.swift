internal import LedgerEvents

/// The components of a path in a package, and the faults of the path.
struct PackagePath {
  /// The path without a leading `./`, and without the slash after a folder's name.
  let text: String
  let components: [Substring]

  /// - Parameter isFolder: Whether the path may end with a slash.
  init(_ stated: String, isFolder: Bool) {
    var text = stated[...]
    // Some programs pack `.`, so every path begins with it. It has no meaning.
    if text.utf8.starts(with: "./".utf8) { text = text.dropFirst(2) }
    if isFolder, text.utf8.last == UInt8(ascii: "/") { text = text.dropLast() }
    self.text = String(text)
    components = Self.split(self.text)
  }

  /// Whether it is the package's own root, which some programs pack as an entry.
  var isRoot: Bool { text.isEmpty || text == "." }

  /// Returns the components between slashes, including empty ones. Slashes are compared as bytes,
  /// even if a combining mark follows them.
  static func split(_ text: String) -> [Substring] {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.map { Substring($0) }
  }

  /// Returns the faults of the path itself, at most one of each kind.
  func faults(_ limits: PackageLimits) -> [PackageFault] {
    var faults: [PackageFault] = []
    func add(_ code: PackageFault.Code, _ message: String) {
      if !faults.contains(where: { $0.code == code }) {
        faults.append(PackageFault(code, path: text, message))
      }
    }
    let isAbsolute = components.count > 1 && components[0].isEmpty
    if isAbsolute {
      add(.absolutePath, "is absolute: pack paths relative to the package.")
    }
    for component in components.dropFirst(isAbsolute ? 1 : 0) {
      if component.isEmpty || component.utf8.elementsEqual(".".utf8) {
        add(.emptyComponent, "has an empty component or a dot as a component: leave that out.")
      } else if component.utf8.elementsEqual("..".utf8) {
        add(.climbingPath, "contains ..: pack only paths that go down.")
      }
      if component.utf8.count > limits.nameBytesMax {
        add(.nameTooLong, "has a name of more than \(limits.nameBytesMax) bytes: shorten it.")
      }
      if component.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
        add(.invalidName, "contains a control character: rename it.")
      }
    }
    if text.utf8.count > limits.pathBytesMax {
      add(.nameTooLong, "is longer than \(limits.pathBytesMax) bytes: shorten it.")
    }
    return faults
  }
}

extension StringProtocol {
  /// Returns whether both have the same bytes. (`==` compares strings by canonical equivalence.)
  func isSameBytes(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
