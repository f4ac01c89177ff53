internal import LMDB

/// Reads the rows of named tables of a file that may be damaged, and the leaves that no tree leads
/// to any more.
package struct TableReader {
  private var walk: TreeWalk
  private var tables: [[UInt8]: (record: TreeRecord, page: UInt64)] = [:]

  /// The rows that each table counts in its record, by its name.
  package private(set) var entries: [String: UInt64] = [:]

  /// The rows that were found in each table whose pages are all in order, as far as was walked.
  package private(set) var entriesFound: [String: UInt64] = [:]

  /// Reads where the tables of a commit begin.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - meta: The meta page of the commit.
  package init(_ file: PageFile, _ meta: PageMeta) {
    walk = TreeWalk(file, lastPage: meta.lastPage)
    var found: [[UInt8]: (record: TreeRecord, page: UInt64)] = [:]
    walk.walk(meta.main, named: "tables", order: .bytes, from: meta.number) { walk, page in
      for index in 0..<page.count {
        guard case .table(let range) = page.value(index) else { continue }
        found[Array(page.key(index))] = (TreeRecord(page.bytes[range].span, at: 0), page.number)
      }
    }
    tables = found
    for (name, table) in found {
      entries[String(decoding: name, as: UTF8.self)] = table.record.entries
    }
  }

  /// What is damaged, as far as was walked.
  package var faults: [PageFault] { walk.faults }

  /// Calls `body` with each leaf of a table that can be read, in the order of its keys.
  ///
  /// - Complexity: one read of each page of the table.
  package mutating func forEachLeaf(of name: String, _ body: (TreePage) -> Void) {
    guard let table = tables[Array(name.utf8)] else { return }
    entriesFound[name] = walk.walk(table.record, named: name, from: table.page, body)
  }

  /// Whether a table whose pages are all in order has as many rows as it counts in its record. Also
  /// true if a page of it is damaged, so that its rows cannot be counted.
  package func isCountConfirmed(of name: String) -> Bool {
    guard let found = entriesFound[name] else { return true }
    return found == entries[name]
  }

  /// Whether a tree leads to a page, as far as was walked.
  package func isReached(_ page: UInt64) -> Bool { walk.isReached(page) }

  /// Calls `body` with each leaf that the walk has not led to, and with damaged ones.
  package func forEachLeafOutside(_ body: (TreePage) -> Void) { walk.forEachLeafOutside(body) }
}
