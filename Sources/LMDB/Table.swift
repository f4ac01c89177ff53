internal import CLMDB

/// A named table of one environment: a handle that is cheap to copy and to pass between threads.
///
/// A table stays valid until its environment is closed. Using it with a transaction of another
/// environment is a bug and stops the process.
public struct Table: Sendable, Hashable {
  let number: UInt32
  let environment: UInt32
}

/// The size of a table, as its root record states it.
public struct TableStatistics: Sendable, Hashable {
  /// The number of keys in the table.
  public let entries: Int

  /// The height of its tree; 0 if it is empty.
  public let depth: Int

  /// The number of pages with inner nodes.
  public let branchPages: Int

  /// The number of pages with keys and values.
  public let leafPages: Int

  /// The number of pages with values that are too large for a leaf.
  public let overflowPages: Int

  /// The size of a page in bytes.
  public let pageSize: Int

  /// The size in bytes of all the table's pages.
  public var byteCount: Int { (branchPages + leafPages + overflowPages) * pageSize }

  init(_ stat: MDB_stat) {
    entries = stat.ms_entries
    depth = Int(stat.ms_depth)
    branchPages = stat.ms_branch_pages
    leafPages = stat.ms_leaf_pages
    overflowPages = stat.ms_overflow_pages
    pageSize = Int(stat.ms_psize)
  }
}
