internal import LMDB

/// Follows the trees of a file, each page once, and notes what is damaged.
///
/// A damaged page is noted and left out; the walk goes on with the rest of the tree. It ends
/// always: no page is visited twice, and no tree is followed deeper than it says.
package struct TreeWalk {
  /// The file.
  package let file: PageFile
  /// What is damaged, at most ``faultsMax`` of it.
  package private(set) var faults: [PageFault] = []
  /// How many faults there are, also those that are not listed.
  private var faultCount = 0
  /// Every page with a fault: what is left of it is found outside of the trees.
  private var faultyPages: Set<UInt64> = []

  private let lastPage: UInt64
  /// The owner of each page: an index into `names`, or 0 if nothing has led to it.
  private var owners: [UInt8]
  private var names = ["nothing"]

  /// After so many faults no more are listed: the file needs its backup, not a longer list.
  package static let faultsMax = 1_000

  /// LMDB's cursors follow no more levels (`CURSOR_STACK`).
  private static let depthMax = 32

  /// How keys are compared.
  enum KeyOrder {
    case bytes
    case integers
  }

  /// What was found in a tree, to be compared with what its record counts.
  private struct Tally: Hashable {
    var branchPages: UInt64 = 0
    var leafPages: UInt64 = 0
    var overflowPages: UInt64 = 0
    var entries: UInt64 = 0
  }

  /// A tree that is being walked.
  private struct Tree {
    let name: String
    let owner: UInt8
    let depth: Int
    let order: KeyOrder
    var tally = Tally()
  }

  /// The keys that a page may have.
  private struct Bounds {
    var lower: ArraySlice<UInt8>?
    var upper: ArraySlice<UInt8>?
  }

  /// Begins a walk over the trees of a commit.
  ///
  /// - Parameter lastPage: The last page that the commit uses.
  package init(_ file: PageFile, lastPage: UInt64) {
    self.file = file
    self.lastPage = lastPage
    owners = [UInt8](repeating: 0, count: Int(file.pageCount))
  }

  /// Notes a damaged page.
  package mutating func report(_ page: UInt64, _ table: String?, _ reason: String) {
    faultCount += 1
    faultyPages.insert(page)
    guard faults.count < Self.faultsMax else { return }
    faults.append(PageFault(page: page, table: table, reason: reason))
  }

  /// Whether a page is one of those that were walked.
  package func isReached(_ page: UInt64) -> Bool {
    page < UInt64(owners.count) && owners[Int(page)] != 0
  }

  /// Walks the table `name`, whose record is on the page `parent`.
  ///
  /// - Parameter body: Called with each leaf, in the order of its keys.
  /// - Returns: How many rows the table has; nil if a page of it is damaged.
  /// - Complexity: one read of each page.
  @discardableResult
  package mutating func walk(
    _ record: TreeRecord, named name: String, from parent: UInt64,
    _ body: (TreePage) -> Void
  ) -> UInt64? {
    guard record.flags == 0 else {
      report(parent, name, "the table has the flags \(record.flags), which Daybook never sets")
      return nil
    }
    return walk(record, named: name, order: .bytes, from: parent) { _, page in body(page) }
  }

  /// Walks a tree.
  ///
  /// - Returns: How many entries it has; nil if a page of it is damaged.
  @discardableResult
  mutating func walk(
    _ record: TreeRecord, named name: String, order: KeyOrder, from parent: UInt64,
    _ body: (inout TreeWalk, TreePage) -> Void
  ) -> UInt64? {
    guard let root = record.root else {
      if record.depth != 0 || record.entries != 0 {
        report(parent, name, "it counts \(record.entries) entries in a tree without pages")
        return nil
      }
      return 0
    }
    guard 1...Self.depthMax ~= record.depth else {
      report(parent, name, "it states a tree with \(record.depth) levels")
      return nil
    }
    names.append(name)
    // Names beyond what a byte counts share the last one: it only says who else has a page.
    let owner = UInt8(clamping: names.count - 1)
    var tree = Tree(name: name, owner: owner, depth: record.depth, order: order)
    let before = faultCount
    visit(root, level: 1, Bounds(), parent, &tree, body)
    let stated = Tally(
      branchPages: record.branchPages, leafPages: record.leafPages,
      overflowPages: record.overflowPages, entries: record.entries)
    guard faultCount == before else { return nil }
    if tree.tally != stated {
      report(
        parent, name,
        "it counts \(stated.entries) entries on \(stated.branchPages), \(stated.leafPages) and "
          + "\(stated.overflowPages) pages, and there are \(tree.tally.entries) on "
          + "\(tree.tally.branchPages), \(tree.tally.leafPages) and \(tree.tally.overflowPages)")
    }
    return tree.tally.entries
  }

  private mutating func visit(
    _ number: UInt64, level: Int, _ bounds: Bounds, _ parent: UInt64, _ tree: inout Tree,
    _ body: (inout TreeWalk, TreePage) -> Void
  ) {
    guard take(number, from: parent, for: tree) else { return }
    let page: TreePage
    do throws(PageDoubt) {
      page = try file.treePage(number)
      try check(page, level: level, bounds, tree)
    } catch {
      report(number, tree.name, error.reason)
      return
    }
    switch page.kind {
    case .leaf:
      tree.tally.leafPages += 1
      tree.tally.entries += UInt64(page.count)
      takeValues(of: page, &tree)
      body(&self, page)
    case .branch:
      tree.tally.branchPages += 1
      for index in 0..<page.count {
        let inner = Bounds(
          lower: index == 0 ? bounds.lower : page.key(index),
          upper: index + 1 < page.count ? page.key(index + 1) : bounds.upper)
        visit(page.child(index), level: level + 1, inner, number, &tree, body)
      }
    }
  }

  /// The pages that the commit can use. There are none in a file that ends with its meta pages.
  private var usablePages: Range<UInt64> {
    let count = lastPage < file.pageCount ? lastPage + 1 : file.pageCount
    return PageFile.firstPage..<max(count, PageFile.firstPage)
  }

  /// Makes the tree the owner of a page; false and a fault if it cannot be.
  private mutating func take(_ number: UInt64, from parent: UInt64, for tree: Tree) -> Bool {
    guard usablePages.contains(number) else {
      report(
        parent, tree.name,
        "it leads to page \(number), and "
          + (usablePages.last.map { "pages \(usablePages.lowerBound) to \($0) can be in use" }
            ?? "the file has only meta pages"))
      return false
    }
    let owner = Int(owners[Int(number)])
    guard owner == 0 else {
      report(
        number, tree.name,
        owner == Int(tree.owner)
          ? "page \(parent) leads to it, and so does another page of the same table"
          : "page \(parent) leads to it, and it belongs to \(names[owner])")
      return false
    }
    owners[Int(number)] = tree.owner
    return true
  }

  private func check(
    _ page: TreePage, level: Int, _ bounds: Bounds, _ tree: Tree
  ) throws(PageDoubt) {
    switch page.kind {
    case .leaf:
      guard level == tree.depth else {
        throw PageDoubt("it is a leaf on level \(level) of a tree with \(tree.depth) levels")
      }
    case .branch:
      guard level < tree.depth else {
        throw PageDoubt("it is a branch on level \(level) of a tree with \(tree.depth) levels")
      }
      guard page.count > 1 || tree.order == .integers else {
        throw PageDoubt("it is a branch that leads to one page only")
      }
    }
    var previous: ArraySlice<UInt8>?
    for index in (page.kind == .leaf ? 0 : 1)..<page.count {
      let key = page.key(index)
      guard tree.order == .bytes || key.count == MemoryLayout<UInt64>.size else {
        throw PageDoubt("a key has \(key.count) bytes, not 8")
      }
      if let previous, !Self.isLess(previous, key, tree.order) {
        throw PageDoubt("its keys are not in order")
      }
      if let lower = bounds.lower, Self.isLess(key, lower, tree.order) {
        throw PageDoubt("it has keys that belong before it")
      }
      if let upper = bounds.upper, !Self.isLess(key, upper, tree.order) {
        throw PageDoubt("it has keys that belong after it")
      }
      previous = key
    }
  }

  private static func isLess(
    _ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>, _ order: KeyOrder
  ) -> Bool {
    switch order {
    case .bytes: left.lexicographicallyPrecedes(right)
    case .integers: left.reversed().lexicographicallyPrecedes(right.reversed())
    }
  }

  /// Makes the tree the owner of the pages of a leaf's large values.
  private mutating func takeValues(of page: TreePage, _ tree: inout Tree) {
    for index in 0..<page.count {
      guard case .pages(let first, let size) = page.value(index) else { continue }
      guard take(first, from: page.number, for: tree) else { continue }
      let count: UInt64
      do throws(PageDoubt) { count = try file.overflowCount(first, holding: size) } catch {
        report(first, tree.name, error.reason)
        continue
      }
      tree.tally.overflowPages += count
      for number in first + 1..<first + count {
        if !take(number, from: first, for: tree) { break }
      }
    }
  }
}

extension TreeWalk {
  /// Calls `body` with each page of the file that looks like a leaf and that nothing has led to:
  /// what a damaged branch has cut off, what earlier commits have left, and damaged leaves.
  ///
  /// - Complexity: one read of each page that was not walked.
  package func forEachLeafOutside(_ body: (TreePage) -> Void) {
    var number = PageFile.firstPage
    while number < file.pageCount {
      // Pages that the walk took and could not use, for example for their position in the tree, are
      // read again.
      if !isReached(number) || faultyPages.contains(number) {
        // What is no leaf, not even a damaged one, has no rows.
        if case .success(let page) = leafIfAny(number) { body(page) }
      }
      number += 1
    }
  }

  private func leafIfAny(_ number: UInt64) -> Result<TreePage, PageDoubt> {
    do throws(PageDoubt) { return .success(try file.leaf(number)) } catch {
      return .failure(error)
    }
  }
}
