package import LedgerEvents

/// The parents of the union-find over names, in pages that are made when they are first needed:
/// names are numbered densely, but one customer's are few among many.
///
/// A slot holds the parent plus one. A name that is its own parent is a unit, and an empty slot is
/// a name that no fact has named yet.
package struct UnitParents {
  /// 500 numbers of four bytes: the largest round count that fits a row of a store's page.
  @inlinable package static var namesPerPage: Int { 500 }

  @usableFromInline var pages: [[UInt32]] = []

  package init() {}

  /// The page of a name.
  @inlinable
  package static func page(of name: NameNumber) -> Int { Int(name) / namesPerPage }

  /// Whether a page is there.
  @inlinable
  package func has(page: Int) -> Bool { page < pages.count && !pages[page].isEmpty }

  /// The slots of a page that is there.
  package func slots(ofPage page: Int) -> [UInt32] { pages[page] }

  /// Makes a page: of no names, or of the slots that are stored.
  package mutating func make(page: Int, _ slots: [UInt32]? = nil) {
    while pages.count <= page { pages.append([]) }
    pages[page] = slots ?? [UInt32](repeating: 0, count: Self.namesPerPage)
  }

  /// The parent of a name whose page is there.
  @inlinable
  package func parent(of name: NameNumber) -> NameNumber? {
    let slot = pages[Self.page(of: name)][Int(name) % Self.namesPerPage]
    return slot == 0 ? nil : slot - 1
  }

  /// The parent of a name; nil if it has none, or its page is not there.
  @inlinable
  package func knownParent(of name: NameNumber) -> NameNumber? {
    has(page: Self.page(of: name)) ? parent(of: name) : nil
  }

  /// Sets the parent of a name, on a new page if its own is not there: where nothing is stored.
  package mutating func addParent(_ parent: NameNumber, of name: NameNumber) {
    let page = Self.page(of: name)
    if !has(page: page) { make(page: page) }
    setParent(parent, of: name)
  }

  /// The unit that all names lead to by at most two steps; nil where there is no such unit, or
  /// where a page is not there.
  package func commonUnit(of names: UnitNodes) -> UnitNumber? {
    var unit: UnitNumber?
    for name in names {
      guard let root = nearRoot(of: name), unit ?? root == root else { return nil }
      unit = root
    }
    return unit
  }

  private func nearRoot(of name: NameNumber) -> UnitNumber? {
    guard has(page: Self.page(of: name)), let parent = parent(of: name) else { return nil }
    if parent == name || parent == 0 { return parent }
    guard has(page: Self.page(of: parent)), self.parent(of: parent) == parent else { return nil }
    return parent
  }

  /// Gives a name whose page is there a parent.
  @inlinable
  package mutating func setParent(_ parent: NameNumber, of name: NameNumber) {
    pages[Self.page(of: name)][Int(name) % Self.namesPerPage] = parent + 1
  }
}
