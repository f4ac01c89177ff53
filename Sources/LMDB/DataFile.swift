#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The file of tables, looked at with plain reads before it is mapped.
///
/// A page missing at the end of a mapped file is a SIGBUS when it is touched, so the length is
/// compared with the newest meta page first. The layout is that of `MDB_meta` in LMDB 0.9's `mdb.c`.
enum DataFile {
  private static let metaMagic: UInt32 = 0xBEEF_C0DE
  private static let metaVersion: UInt32 = 1
  private static let metaFlag: UInt16 = 0x08
  private static let metaSizeBytes = 16 + 136
  private static let pageSizesBytes = 512...65_536
  /// A writer in another process may be in the middle of a meta page.
  private static let attemptsMax = 5

  /// What a meta page says.
  struct Meta {
    let pageSize: Int
    let mapSize: UInt64
    let freeRoot: UInt64
    let mainRoot: UInt64
    let lastPage: UInt64
    let transaction: UInt64
  }

  /// Refuses a file that is no environment or that lacks pages; an absent or empty one is new.
  static func check(_ path: String, mustExist: Bool) throws(LMDBError) {
    // SAFETY: open reads the path during the call.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT, !mustExist { return }
      if errno == ENOENT {
        throw LMDBError(.missing, operation: "open", message: "\(path) does not exist.")
      }
      throw systemFailure("open", path)
    }
    defer { close(file) }
    for attempt in 1...attemptsMax {
      do throws(LMDBError) { return try check(file, path) } catch {
        if attempt == attemptsMax { throw error }
        usleep(1000)
      }
    }
  }

  private static func check(_ file: Int32, _ path: String) throws(LMDBError) {
    guard let first = try meta(file, at: 0, path) else { return }
    guard let second = try meta(file, at: first.pageSize, path) else {
      throw truncated(path, "its second page is missing")
    }
    let newest = second.transaction > first.transaction ? second : first
    let length = try size(of: file, path)
    let pages = UInt64(length / newest.pageSize)
    let roots = [newest.freeRoot, newest.mainRoot].filter { $0 != UInt64.max }
    guard pages >= 2, roots.allSatisfy({ $0 < pages }), pages > newest.lastPage else {
      throw truncated(path, "it has \(pages) pages of \(newest.lastPage + 1)")
    }
  }

  private static func meta(
    _ file: Int32, at offset: Int, _ path: String
  ) throws(LMDBError) -> Meta? {
    var bytes = [UInt8](repeating: 0, count: metaSizeBytes)
    // SAFETY: pread writes at most as many bytes as the array has.
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(file, buffer.baseAddress, buffer.count, off_t(offset))
    }
    guard count >= 0 else { throw systemFailure("open", path) }
    if count == 0, offset == 0 { return nil }
    guard count == metaSizeBytes else { throw truncated(path, "its meta pages are incomplete") }
    func number<Number: FixedWidthInteger>(_ at: Int, _ type: Number.Type) -> Number {
      // LMDB writes in the machine's order; the wrapper runs on little-endian machines only.
      (0..<MemoryLayout<Number>.size).reversed().reduce(0) { ($0 << 8) | Number(bytes[at + $1]) }
    }
    guard number(10, UInt16.self) & metaFlag != 0, number(16, UInt32.self) == metaMagic else {
      throw LMDBError(
        .invalidFile, operation: "open", message: "\(path) is not an LMDB file, or is damaged.")
    }
    guard number(20, UInt32.self) == metaVersion else {
      throw LMDBError(.versionMismatch, operation: "open")
    }
    let pageSize = Int(number(40, UInt32.self))
    guard pageSizesBytes ~= pageSize, pageSize.nonzeroBitCount == 1 else {
      throw LMDBError(
        .invalidFile, operation: "open",
        message: "\(path) has the impossible page size \(pageSize).")
    }
    return Meta(
      pageSize: pageSize, mapSize: number(32, UInt64.self), freeRoot: number(80, UInt64.self),
      mainRoot: number(128, UInt64.self), lastPage: number(136, UInt64.self),
      transaction: number(144, UInt64.self))
  }

  private static func size(of file: Int32, _ path: String) throws(LMDBError) -> Int {
    var status = stat()
    // SAFETY: fstat fills the structure it is given.
    guard unsafe fstat(file, &status) == 0 else { throw systemFailure("open", path) }
    return Int(status.st_size)
  }

  private static func truncated(_ path: String, _ detail: String) -> LMDBError {
    LMDBError(
      .truncated, operation: "open",
      message: "\(path) is truncated: \(detail). Restore it from a copy.")
  }
}
