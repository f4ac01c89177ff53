internal import CLMDB

/// A named table of one environment: a handle that is cheap to copy and to pass between threads.
///
/// A table stays valid until its environment is closed. Using it with a transaction of another
/// environment is a bug and stops the process.
public struct Table: Sendable, Hashable {
  let number: UInt32
  let environment: UInt32
}

/// The size of a table, from its root's record.
public struct TableStatistics: Sendable, Hashable {
  /// How many keys the table holds.
  public let entries: Int

  /// The height of its tree, 0 when it is empty.
  public let depth: Int

  /// Pages of inner nodes.
  public let branchPages: Int

  /// Pages of keys and values.
  public let leafPages: Int

  /// Pages of values too large for a leaf.
  public let overflowPages: Int

  /// The size of a page in bytes.
  public let pageSize: Int

  /// The bytes of all the table's pages.
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
