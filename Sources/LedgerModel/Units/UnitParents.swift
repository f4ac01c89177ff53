package import LedgerEvents

/// The parents of the union-find over names. They are stored in pages that are created when they
/// are first needed, because names are numbered densely, but one customer uses few of many.
///
/// A slot holds the parent plus one. A name that is its own parent is a unit, and an empty slot is
/// a name that no fact has named yet.
package struct UnitParents {
  /// 500 numbers of four bytes: the largest round count that fits into a row of a store's page.
  @inlinable package static var namesPerPage: Int { 500 }

  @usableFromInline var pages: [[UInt32]] = []

  package init() {}

  /// The page of a name.
  @inlinable
  package static func page(of name: NameNumber) -> Int { Int(name) / namesPerPage }

  /// Whether a page exists.
  @inlinable
  package func has(page: Int) -> Bool { page < pages.count && !pages[page].isEmpty }

  /// The slots of a page, which must exist.
  package func slots(ofPage page: Int) -> [UInt32] { pages[page] }

  /// Creates a page, either empty or from stored slots.
  package mutating func make(page: Int, _ slots: [UInt32]? = nil) {
    while pages.count <= page { pages.append([]) }
    pages[page] = slots ?? [UInt32](repeating: 0, count: Self.namesPerPage)
  }

  /// The parent of a name, whose page must exist.
  @inlinable
  package func parent(of name: NameNumber) -> NameNumber? {
    let slot = pages[Self.page(of: name)][Int(name) % Self.namesPerPage]
    return slot == 0 ? nil : slot - 1
  }

  /// The parent of a name; `nil` if it has none or its page does not exist.
  @inlinable
  package func knownParent(of name: NameNumber) -> NameNumber? {
    has(page: Self.page(of: name)) ? parent(of: name) : nil
  }

  /// Sets the parent of a name. If its page does not exist, creates an empty one. Use this only if
  /// no pages are stored elsewhere.
  package mutating func addParent(_ parent: NameNumber, of name: NameNumber) {
    let page = Self.page(of: name)
    if !has(page: page) { make(page: page) }
    setParent(parent, of: name)
  }

  /// The unit that all names lead to in at most two steps; `nil` if there is no such unit or if a
  /// page does not exist.
  package func commonUnit(of names: UnitNodes) -> UnitNumber? {
    var unit: UnitNumber?
    for name in names {
      guard let root = nearRoot(of: name), unit ?? root == root else { return nil }
      unit = root
    }
    return unit
  }

  /// Whether every name of a page leads to a unit by steps that, after the first, never lead to a
  /// larger number. Pages that do not exist here are taken as sound. For checks in debug builds.
  ///
  /// - Complexity: O(*n* log *n*) in the names of the page.
  package func isSound(page: Int) -> Bool {
    for slot in 0..<Self.namesPerPage where pages[page][slot] != 0 {
      var unit = pages[page][slot] - 1
      while unit != 0, has(page: Self.page(of: unit)) {
        guard let next = parent(of: unit), next <= unit else { return false }
        if next == unit { break }
        unit = next
      }
    }
    return true
  }

  private func nearRoot(of name: NameNumber) -> UnitNumber? {
    guard has(page: Self.page(of: name)), let parent = parent(of: name) else { return nil }
    if parent == name || parent == 0 { return parent }
    guard has(page: Self.page(of: parent)), self.parent(of: parent) == parent else { return nil }
    return parent
  }

  /// Sets the parent of a name, whose page must exist.
  @inlinable
  package mutating func setParent(_ parent: NameNumber, of name: NameNumber) {
    pages[Self.page(of: name)][Int(name) % Self.namesPerPage] = parent + 1
  }
}
