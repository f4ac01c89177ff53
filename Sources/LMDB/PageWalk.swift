/// Follows every reference to a page of an environment, with checked reads, to verify that no page
/// is missing.
///
/// Pages: `MDB_page`, 16 bytes of header, then the offsets of its nodes; nodes: `MDB_node`, 8 bytes
/// of header, then key and value (LMDB 0.9, `mdb.c`).
struct PageWalk {
  private static let headerSizeBytes = 16
  private static let branchFlag: UInt16 = 0x01
  private static let leafFlag: UInt16 = 0x02
  private static let overflowFlag: UInt16 = 0x04
  private static let fixedFlag: UInt16 = 0x20
  private static let bigValueFlag: UInt16 = 0x01
  private static let tableFlag: UInt16 = 0x02
  private static let rootOffsetBytes = 40
  private static let absent = UInt64.max

  private let pageSize: Int
  private let pages: UInt64
  private var pending: [UInt64]
  private var visited: UInt64 = 0

  /// Throws unless all pages in use are within the first `pages`.
  static func check(
    _ file: borrowing DataFile, _ meta: MetaPage, pages: UInt64
  ) throws(LMDBError) {
    var walk = PageWalk(meta, pages: pages)
    while let page = walk.pending.popLast() { try walk.visit(page, file) }
  }

  /// The maximum number of levels of a tree that are followed, more than fit into any file.
  private static let depthMax = 64

  /// The number of the last commit that is listed as having freed pages; 0 if there is none, `nil`
  /// if the list cannot be read.
  ///
  /// - Complexity: O(log *n*) reads of a page.
  static func lastFreeing(
    _ file: borrowing DataFile, _ meta: MetaPage
  ) throws(LMDBError) -> UInt64? {
    // The roots of an older page may be anything, so nothing outside the file is followed.
    let walk = PageWalk(meta, pages: UInt64(try file.size() / meta.pageSize))
    guard var number = meta.roots.first, number != absent else { return 0 }
    for _ in 0..<depthMax {
      guard number < walk.pages else { return nil }
      let bytes = try file.bytes(at: Int(number) * walk.pageSize, count: walk.pageSize)
      guard bytes.count == walk.pageSize else { return nil }
      let page = bytes.span
      let flags = page.littleEndian(UInt16.self, at: 10)
      let lower = Int(page.littleEndian(UInt16.self, at: 12))
      guard headerSizeBytes + 2...walk.pageSize ~= lower, lower % 2 == 0 else { return nil }
      let node = Int(page.littleEndian(UInt16.self, at: lower - 2))
      // A node's header, and its key of eight bytes.
      guard node >= headerSizeBytes, node + 16 <= walk.pageSize else { return nil }
      if flags & leafFlag != 0 { return page.littleEndian(at: node + 8) }
      guard flags & branchFlag != 0, let child = walk.follow(page, node, isBranch: true) else {
        return nil
      }
      number = child
    }
    return nil
  }

  private init(_ meta: MetaPage, pages: UInt64) {
    pageSize = meta.pageSize
    self.pages = pages
    pending = meta.roots.filter { $0 != Self.absent }
  }

  private mutating func visit(_ number: UInt64, _ file: borrowing DataFile) throws(LMDBError) {
    guard number < pages else { throw file.truncated("page \(number) of \(pages) is in use") }
    visited += 1
    guard visited <= pages else { throw file.damaged("its pages form a circle") }
    let bytes = try file.bytes(at: Int(number) * pageSize, count: pageSize)
    guard bytes.count == pageSize else { throw file.truncated("page \(number) is incomplete") }
    let page = bytes.span
    let flags = page.littleEndian(UInt16.self, at: 10)
    if flags & Self.fixedFlag != 0 { return }
    if flags & Self.overflowFlag != 0 {
      let count = UInt64(page.littleEndian(UInt32.self, at: 12))
      guard count <= pages - number else {
        throw file.truncated("a value of \(count) pages begins at page \(number) of \(pages)")
      }
      return
    }
    guard flags & (Self.branchFlag | Self.leafFlag) != 0 else {
      throw file.damaged("page \(number) is of no kind")
    }
    let lower = Int(page.littleEndian(UInt16.self, at: 12))
    guard Self.headerSizeBytes...pageSize ~= lower else {
      throw file.damaged("page \(number) has its entries outside")
    }
    for offset in stride(from: Self.headerSizeBytes, to: lower - 1, by: 2) {
      let node = Int(page.littleEndian(UInt16.self, at: offset))
      guard let next = follow(page, node, isBranch: flags & Self.branchFlag != 0) else {
        throw file.damaged("page \(number) has an entry outside")
      }
      if next != Self.absent { pending.append(next) }
    }
  }

  /// The page to which a node refers: all bits are set if there is none; `nil` if the node is
  /// outside its page.
  private func follow(_ page: Span<UInt8>, _ node: Int, isBranch: Bool) -> UInt64? {
    let header = 8
    guard node >= Self.headerSizeBytes, node + header <= pageSize else { return nil }
    let low = UInt64(page.littleEndian(UInt32.self, at: node))
    let flags = page.littleEndian(UInt16.self, at: node + 4)
    if isBranch { return low | UInt64(flags) << 32 }
    let value = node + header + Int(page.littleEndian(UInt16.self, at: node + 6))
    if flags & Self.bigValueFlag != 0 {
      guard value + 8 <= pageSize else { return nil }
      return page.littleEndian(at: value)
    }
    guard flags & Self.tableFlag != 0 else { return Self.absent }
    guard value + Self.rootOffsetBytes + 8 <= pageSize else { return nil }
    return page.littleEndian(at: value + Self.rootOffsetBytes)
  }
}
