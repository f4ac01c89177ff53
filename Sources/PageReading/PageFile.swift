package import LMDB

/// A data file of LMDB, read page by page with plain reads.
///
/// LMDB maps its file and follows what it finds there: its pages have no checksum, and a damaged
/// offset can end the process. Here every offset is checked before it is used, and a page that
/// cannot be read is a fault among others. Nothing is ever written.
///
/// `Schemas/pages.md` draws the pages.
package struct PageFile: Sendable {
  /// The path of the file.
  package let path: String

  /// The length of a page in bytes.
  package let pageSize: Int

  /// How many whole pages the file has.
  package let pageCount: UInt64

  /// What each of the two meta pages says, or what is wrong with it.
  package let metas: [Result<PageMeta, PageDoubt>]

  private let file: FlatFile

  /// The lengths that LMDB gives its pages, in bytes. It could also give them 65,536, but then an
  /// offset does not fit into 16 bits, and no system that Daybook runs on does so.
  static let pageSizesBytes = [512, 1024, 2048, 4096, 8192, 16_384, 32_768]

  /// What is taken for the length of a page if no meta page says it: that of most systems.
  static let pageSizeBytesUsual = 4096

  /// The first page that is not a meta page.
  static let firstPage: UInt64 = 2

  /// Opens the file at `path`; nil if there is none.
  ///
  /// - Throws: ``LMDBError`` with the operating system's error.
  package init?(_ path: String) throws(LMDBError) {
    guard let file = try FlatFile.open(path, isWritable: false) else { return nil }
    self.file = file
    self.path = path
    pageSize = PageFile.pageSize(of: file)
    pageCount = UInt64(try file.size() / pageSize)
    metas = PageFile.readMetas(file, pageSize)
  }

  /// The same file with the meta pages as they are now.
  package func refreshed() throws(LMDBError) -> PageFile {
    guard let found = try PageFile(path) else {
      throw LMDBError(.missing, operation: "read", message: "\(path) no longer exists.")
    }
    return found
  }

  /// The meta pages that can be believed, the newest first.
  package var plausibleMetas: [PageMeta] {
    metas.compactMap { meta in
      switch meta {
      case .success(let meta): meta
      case .failure: nil
      }
    }.sorted { $0.transaction > $1.transaction }
  }

  /// The meta pages that cannot be believed.
  package var metaFaults: [PageFault] {
    metas.enumerated().compactMap { number, meta in
      switch meta {
      case .success: nil
      case .failure(let doubt):
        PageFault(page: UInt64(number), table: nil, reason: doubt.reason)
      }
    }
  }

  private static func readMetas(
    _ file: FlatFile, _ pageSize: Int
  ) -> [Result<PageMeta, PageDoubt>] {
    (0..<UInt64(2)).map { number in
      do throws(PageDoubt) {
        let bytes = try read(file, at: number * UInt64(pageSize), count: PageMeta.endAt)
        return .success(try PageMeta(bytes.span, number: number, pageSize: pageSize))
      } catch {
        return .failure(error)
      }
    }
  }

  /// The length of a page that a meta page states.
  private static func pageSize(of file: FlatFile) -> Int {
    for offset in [0] + pageSizesBytes {
      do throws(PageDoubt) {
        let bytes = try read(file, at: UInt64(offset), count: PageMeta.endAt)
        if let stated = PageMeta.pageSize(statedIn: bytes.span), pageSizesBytes.contains(stated),
          offset == 0 || offset == stated
        {
          return stated
        }
      } catch { continue }
    }
    return pageSizeBytesUsual
  }

  private static func read(
    _ file: FlatFile, at offset: UInt64, count: Int
  ) throws(PageDoubt) -> [UInt8] {
    let bytes: [UInt8]
    do throws(LMDBError) { bytes = try file.read(at: Int(offset), count: count) } catch {
      throw PageDoubt("it cannot be read: \(error.message)")
    }
    guard bytes.count == count else { throw PageDoubt("the file ends before it does") }
    return bytes
  }

  /// The bytes of `count` pages from `number` on.
  ///
  /// - Complexity: one read.
  package func bytes(
    ofPage number: UInt64, count: UInt64 = 1
  ) throws(PageDoubt) -> [UInt8] {
    guard number < pageCount, count <= pageCount - number else {
      throw PageDoubt("the file ends before it does")
    }
    return try Self.read(
      file, at: number * UInt64(pageSize), count: Int(count) * pageSize)
  }

  /// A page of nodes.
  ///
  /// - Complexity: O(*n* log *n*) in its nodes.
  package func treePage(_ number: UInt64) throws(PageDoubt) -> TreePage {
    try TreePage(try bytes(ofPage: number), number: number)
  }

  /// A page as a leaf, whole or not; see ``TreePage/init(loose:number:)``.
  ///
  /// - Throws: `PageDoubt` if it is whole and no leaf, or nothing in it looks like a row.
  package func leaf(_ number: UInt64) throws(PageDoubt) -> TreePage {
    let bytes = try bytes(ofPage: number)
    let page: TreePage
    do throws(PageDoubt) { page = try TreePage(bytes, number: number) } catch {
      return try TreePage(loose: bytes, number: number)
    }
    guard page.kind == .leaf else { throw PageDoubt("it is a branch") }
    return page
  }

  /// How many pages the value that begins on page `number` has.
  ///
  /// - Parameter size: Its length in bytes, which they must have room for.
  package func overflowCount(
    _ number: UInt64, holding size: Int
  ) throws(PageDoubt) -> UInt64 {
    let page = try bytes(ofPage: number)
    guard page.span.littleEndian(UInt64.self, at: 0) == number else {
      throw PageDoubt("it says that it is page \(page.span.littleEndian(UInt64.self, at: 0))")
    }
    let flags = page.span.littleEndian(UInt16.self, at: TreePage.flagsAt)
    guard flags == TreePage.overflowFlag else {
      throw PageDoubt("it should begin a large value, and its flags are \(flags)")
    }
    let count = UInt64(page.span.littleEndian(UInt32.self, at: TreePage.lowerAt))
    let needed = UInt64((TreePage.headerBytes + size + pageSize - 1) / pageSize)
    guard count >= needed else {
      throw PageDoubt("a value of \(size) bytes has \(count) pages, and needs \(needed)")
    }
    guard count <= pageCount - number else {
      throw PageDoubt("its value has \(count) pages, and the file ends before them")
    }
    return count
  }

  /// The value of a node of a leaf.
  ///
  /// - Complexity: O(*n*) in its length.
  package func value(_ page: TreePage, _ node: Int) throws(PageDoubt) -> [UInt8] {
    switch page.value(node) {
    case .inPage(let range), .table(let range): return Array(page.bytes[range])
    case .pages(let first, let size):
      _ = try overflowCount(first, holding: size)
      let needed = UInt64((TreePage.headerBytes + size + pageSize - 1) / pageSize)
      let bytes = try bytes(ofPage: first, count: needed)
      return Array(bytes[TreePage.headerBytes..<TreePage.headerBytes + size])
    }
  }
}

/// Why a page cannot be believed.
package struct PageDoubt: Error, Hashable, Sendable {
  /// The reason, as the end of a sentence that begins with the page.
  package let reason: String

  /// Creates a doubt.
  package init(_ reason: String) { self.reason = reason }
}

/// A damaged page.
package struct PageFault: Hashable, Sendable {
  /// The number of the page, from 0.
  package let page: UInt64

  /// The table that it belongs to, as far as is known.
  package let table: String?

  /// What is wrong with it.
  package let reason: String

  /// Creates a fault.
  package init(page: UInt64, table: String?, reason: String) {
    self.page = page
    self.table = table
    self.reason = reason
  }
}

extension PageFault: CustomStringConvertible {
  package var description: String {
    "page \(page)\(table.map { " (\($0))" } ?? ""): \(reason)"
  }
}
