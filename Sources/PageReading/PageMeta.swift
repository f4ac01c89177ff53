internal import LMDB

/// What one of the two meta pages says (`MDB_meta`): where the trees of one commit begin.
package struct PageMeta: Hashable, Sendable {
  /// The page's own number: 0 or 1.
  package let number: UInt64

  /// The tree of the pages that are free.
  package let free: TreeRecord

  /// The tree of the named tables.
  package let main: TreeRecord

  /// The last page that was ever used. The file may be shorter: the last pages may be free.
  package let lastPage: UInt64

  /// The number of the commit.
  package let transaction: UInt64

  private static let magic: UInt32 = 0xBEEF_C0DE
  private static let version: UInt32 = 1
  private static let metaFlag: UInt16 = 0x08
  private static let magicAt = 16
  private static let versionAt = 20
  private static let pageSizeAt = 40
  private static let freeAt = 40
  private static let mainAt = 88
  private static let lastPageAt = 136
  private static let transactionAt = 144

  /// Where its content ends.
  static let endAt = 152

  /// The pages that a file of any size can have: a number has 48 bits in a branch.
  private static let pagesMax: UInt64 = 1 << 48

  /// The length of a page that `bytes` state, if they look like a meta page.
  static func pageSize(statedIn bytes: Span<UInt8>) -> Int? {
    guard bytes.littleEndian(UInt32.self, at: magicAt) == magic else { return nil }
    return Int(bytes.littleEndian(UInt32.self, at: pageSizeAt))
  }

  /// Reads the meta page `number`.
  init(_ bytes: Span<UInt8>, number: UInt64, pageSize: Int) throws(PageDoubt) {
    guard bytes.littleEndian(UInt64.self, at: 0) == number,
      bytes.littleEndian(UInt16.self, at: TreePage.flagsAt) == Self.metaFlag,
      bytes.littleEndian(UInt32.self, at: Self.magicAt) == Self.magic
    else { throw PageDoubt("it is not a meta page") }
    let version = bytes.littleEndian(UInt32.self, at: Self.versionAt)
    guard version == Self.version else {
      throw PageDoubt("it has version \(version) of the file format, not \(Self.version)")
    }
    let stated = Int(bytes.littleEndian(UInt32.self, at: Self.pageSizeAt))
    guard stated == pageSize else {
      throw PageDoubt("it says that pages have \(stated) bytes, and they have \(pageSize)")
    }
    self.number = number
    free = TreeRecord(bytes, at: Self.freeAt)
    main = TreeRecord(bytes, at: Self.mainAt)
    lastPage = bytes.littleEndian(at: Self.lastPageAt)
    transaction = bytes.littleEndian(at: Self.transactionAt)
    guard lastPage < Self.pagesMax else { throw PageDoubt("it counts \(lastPage) pages") }
    guard free.flags == TreeRecord.integerKeyFlag else {
      throw PageDoubt("the tree of free pages has the flags \(free.flags)")
    }
    guard main.flags == 0 else {
      throw PageDoubt("the tree of tables has the flags \(main.flags)")
    }
  }
}

/// Where a tree begins, and what it counts (`MDB_db`).
package struct TreeRecord: Hashable, Sendable {
  /// How LMDB compares keys and keeps values; 0 for byte order and one value for each key.
  package let flags: UInt16
  /// The levels of the tree; 0 if it is empty.
  package let depth: Int
  /// Its pages that lead to others.
  package let branchPages: UInt64
  /// Its pages with keys and values.
  package let leafPages: UInt64
  /// The pages of its large values.
  package let overflowPages: UInt64
  /// Its keys.
  package let entries: UInt64
  /// Its first page; nil if it is empty.
  package let root: UInt64?

  /// The length in bytes.
  static let byteCount = 48

  /// Keys are numbers of eight bytes, in the machine's order (`MDB_INTEGERKEY`).
  static let integerKeyFlag: UInt16 = 0x08

  /// The root of a tree without pages (`P_INVALID`).
  private static let noPage = UInt64.max

  /// Reads the record at `offset`.
  ///
  /// - Precondition: There are 48 bytes.
  init(_ bytes: Span<UInt8>, at offset: Int) {
    flags = bytes.littleEndian(at: offset + 4)
    depth = Int(bytes.littleEndian(UInt16.self, at: offset + 6))
    branchPages = bytes.littleEndian(at: offset + 8)
    leafPages = bytes.littleEndian(at: offset + 16)
    overflowPages = bytes.littleEndian(at: offset + 24)
    entries = bytes.littleEndian(at: offset + 32)
    let root: UInt64 = bytes.littleEndian(at: offset + 40)
    self.root = root == Self.noPage ? nil : root
  }

  /// Reads the record that is the value of a named table.
  init(value bytes: [UInt8]) throws(PageDoubt) {
    guard bytes.count == Self.byteCount else {
      throw PageDoubt("the record of a table has \(bytes.count) bytes")
    }
    self.init(bytes.span, at: 0)
  }
}
