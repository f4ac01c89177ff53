#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The file of tables, which is checked with plain reads before it is mapped.
///
/// Touching a page that is missing at the end of a mapped file causes a SIGBUS, so the length of
/// the file is first compared with its newest meta page. If the number of the newer meta page is
/// damaged, LMDB takes the older one, which would silently drop the last commit. So the numbers of
/// the two must be consecutive. The layout is that of LMDB 0.9's `mdb.c`.
struct DataFile: ~Copyable {
  /// A writer in another process may be writing a meta page, or be between two commits.
  private static let attemptsMax = 5
  private static let pauseMicroseconds: UInt32 = 2000

  let path: String
  let identity: FileIdentity
  private let file: Int32

  /// Opens the file in the folder `folder`, and creates it unless `options` are read-only.
  init(folder: String, options: Environment.Options) throws(LMDBError) {
    path = folder + "/" + Environment.dataFileName
    let flags = options.readOnly ? O_RDONLY : O_RDWR | O_CREAT
    // SAFETY: open reads the path during the call.
    file = unsafe open(path, flags | O_CLOEXEC | O_NONBLOCK, mode_t(options.mode))
    guard file >= 0 else {
      let failure = systemFailure("open", path)
      if failure.code == .system(ENOENT) {
        throw LMDBError(.missing, operation: "open", message: "\(path) does not exist.")
      }
      throw failure
    }
    do throws(LMDBError) { try refuseSpecialFile(file, path) } catch {
      close(file)
      throw error
    }
    var status = stat()
    // SAFETY: fstat fills the structure it is given.
    guard unsafe fstat(file, &status) == 0 else {
      let failure = systemFailure("open", path)
      close(file)
      throw failure
    }
    identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  deinit { close(file) }

  /// Waits until no other process is opening this environment, and keeps others from opening it
  /// until ``endOpening()``.
  ///
  /// A process that opens an environment that nobody has open initializes its lock file. It holds a
  /// lock of that file meanwhile, and others wait for it. If the process is killed before it is
  /// done, LMDB lets the next one use a lock file according to which nothing was ever committed.
  /// That process continues from the first meta page, even if the second one is newer, and what it
  /// commits is lost. With this lock, nobody who opens through this type waits for LMDB's own:
  /// either that one is free, or the lock file is complete. Other programs do not take it.
  ///
  /// Source: `mdb_env_excl_lock` and `mdb_env_setup_locks` in LMDB 0.9's `mdb.c`.
  func beginOpening() throws(LMDBError) {
    while flock(file, LOCK_EX) != 0 {
      guard errno == EINTR else { throw systemFailure("lock", path) }
    }
  }

  func endOpening() { _ = flock(file, LOCK_UN) }

  /// Makes the lock file for the owner of this one, if it is missing and the superuser opens
  /// another user's environment.
  ///
  /// Whoever reads needs the lock file, too, so LMDB makes it. As a file of the superuser's it
  /// would keep everybody else from the environment. LMDB fills an empty one.
  func makeOwnersLockFile(_ path: String, _ mode: UInt32) throws(LMDBError) {
    guard geteuid() == 0 else { return }
    var status = stat()
    // SAFETY: fstat fills the structure it is given.
    guard unsafe fstat(file, &status) == 0 else { throw systemFailure("open", path) }
    guard status.st_uid != 0 else { return }
    // SAFETY: open reads the path during the call. What is there already is left alone, and a link
    // is not followed: only the new file is given away.
    let made = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
    // It may be there, or there can be none on this file system, which LMDB reports.
    guard made >= 0 else { return }
    defer { close(made) }
    guard fchown(made, status.st_uid, status.st_gid) == 0 else {
      throw systemFailure("give to its owner", path)
    }
  }

  /// The length in bytes.
  func size() throws(LMDBError) -> Int {
    var status = stat()
    // SAFETY: fstat fills the structure it is given.
    guard unsafe fstat(file, &status) == 0 else { throw systemFailure("open", path) }
    return Int(status.st_size)
  }

  /// Returns the `count` bytes at `offset`, or fewer if the file ends earlier.
  func bytes(at offset: Int, count: Int) throws(LMDBError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    // SAFETY: pread writes at most as many bytes as the array has.
    let read = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(file, buffer.baseAddress, buffer.count, off_t(offset))
    }
    guard read >= 0 else { throw systemFailure("open", path) }
    bytes.removeLast(count - read)
    return bytes
  }

  /// Rejects a file that is not an environment, or that lacks pages. An empty file is a new
  /// environment.
  ///
  /// - Complexity: O(1). O(*p*) in the number of pages if the file ends before its last page, which
  ///   can be correct: a page that was freed in its first transaction is never written.
  func check() throws(LMDBError) {
    guard try size() > 0 else { return }
    for attempt in 1...Self.attemptsMax {
      do throws(LMDBError) {
        let meta = try newestMeta()
        let pages = UInt64(try size() / meta.pageSize)
        if pages <= meta.lastPage { try PageWalk.check(self, meta, pages: pages) }
        return
      } catch {
        if attempt == Self.attemptsMax { throw error }
        usleep(Self.pauseMicroseconds)
      }
    }
  }

  private func newestMeta() throws(LMDBError) -> MetaPage {
    let first = try MetaPage(self, at: 0)
    let second = try MetaPage(self, at: first.pageSize)
    if let doubt = first.doubt(with: second) { throw damaged(doubt) }
    let (newer, older) =
      second.transaction > first.transaction ? (second, first) : (first, second)
    try checkFreed(newer, older)
    return newer
  }

  /// Compares the numbers of two meta pages with what their commits have freed.
  ///
  /// A flipped bit can make two numbers consecutive in the wrong order: of 5 and 6, the 5 becomes
  /// 7. But each commit lists the pages that it frees under its own number, and the next commit
  /// does not use them yet (`mdb_freelist_save`, `mdb_page_alloc`). So the newer page lists at
  /// least what the older one does. Two cases prove nothing: an older page that lists more than its
  /// own number, because it has the roots of a commit that failed, and a page whose number a
  /// flipped bit has lowered by two.
  private func checkFreed(_ newer: MetaPage, _ older: MetaPage) throws(LMDBError) {
    guard let last = try PageWalk.lastFreeing(self, newer),
      let before = try PageWalk.lastFreeing(self, older), before <= older.transaction
    else { return }
    guard before <= last, last <= newer.transaction else {
      throw damaged(
        "its meta pages have the numbers \(newer.transaction) and \(older.transaction), and list "
          + "what the commits \(last) and \(before) have freed")
    }
  }

  /// Empties a file that was never begun: LMDB writes its first two pages without a sync, so that a
  /// full disk or a power failure can leave any part of them. An empty file is a new environment.
  ///
  /// Nobody has such a file open, because it cannot be opened, and whoever begins it holds the lock
  /// of ``beginOpening()``.
  func emptyUnbegun() throws(LMDBError) {
    guard try isUnbegun(size()) else { return }
    try beginOpening()
    defer { endOpening() }
    guard try isUnbegun(size()) else { return }
    guard ftruncate(file, 0) == 0 else { throw systemFailure("open", path) }
  }

  /// Whether the file ends within its first two pages, they are not two good ones, and neither of
  /// them states a commit.
  private func isUnbegun(_ size: Int) throws(LMDBError) -> Bool {
    let pageSize = Environment.newPageSize
    guard 1...2 * pageSize ~= size else { return false }
    let (first, second) = (try metaIfAny(at: 0), try metaIfAny(at: pageSize))
    guard let first, let second else { return (first ?? second)?.transaction ?? 0 == 0 }
    return first.doubt(with: second) != nil && max(first.transaction, second.transaction) == 0
  }

  private func metaIfAny(at offset: Int) throws(LMDBError) -> MetaPage? {
    do throws(LMDBError) { return try MetaPage(self, at: offset) } catch {
      guard error.code == .truncated || error.code == .invalidFile else { throw error }
      return nil
    }
  }

  func truncated(_ detail: String) -> LMDBError {
    LMDBError(
      .truncated, operation: "open",
      message: "\(path) is truncated: \(detail). Restore it from a copy.")
  }

  func damaged(_ detail: String) -> LMDBError {
    LMDBError(
      .invalidFile, operation: "open",
      message: "\(path) is not an LMDB file, or is damaged: \(detail). Restore it from a copy.")
  }
}

/// The content of one of the two meta pages (`MDB_meta`).
struct MetaPage {
  private static let magic: UInt32 = 0xBEEF_C0DE
  private static let version: UInt32 = 1
  private static let flag: UInt16 = 0x08
  private static let sizeBytes = 152
  /// The list of free pages has numbers as keys (`MDB_INTEGERKEY`).
  private static let integerKeyFlag: UInt16 = 0x08
  private static let pageSizesBytes = 512...65_536
  /// The root of a tree without pages (`P_INVALID`).
  private static let noPage = UInt64.max

  /// The page's own number: 0 or 1.
  let number: UInt64
  let pageSize: Int
  /// The roots of the free list and of the table of tables. All bits are set if there is none.
  let roots: [UInt64]
  let lastPage: UInt64
  let transaction: UInt64

  init(_ file: borrowing DataFile, at offset: Int) throws(LMDBError) {
    let bytes = try file.bytes(at: offset, count: Self.sizeBytes)
    guard bytes.count == Self.sizeBytes else { throw file.truncated("a meta page is incomplete") }
    let page = bytes.span
    guard page.littleEndian(UInt16.self, at: 10) & Self.flag != 0,
      page.littleEndian(UInt32.self, at: 16) == Self.magic
    else { throw file.damaged("a meta page is not one") }
    let version = page.littleEndian(UInt32.self, at: 20)
    guard version == Self.version else {
      throw LMDBError(
        .versionMismatch, operation: "open",
        message: "\(file.path) has version \(version) of the file format, not \(Self.version).")
    }
    // With other flags, LMDB would take the trees for another kind and read beyond their pages.
    guard page.littleEndian(UInt16.self, at: 44) == Self.integerKeyFlag,
      page.littleEndian(UInt16.self, at: 92) == 0
    else { throw file.damaged("a meta page states another kind of tree") }
    number = page.littleEndian(at: 0)
    pageSize = Int(page.littleEndian(UInt32.self, at: 40))
    guard Self.pageSizesBytes ~= pageSize, pageSize.nonzeroBitCount == 1 else {
      throw file.damaged("a page of \(pageSize) bytes")
    }
    roots = [page.littleEndian(at: 80), page.littleEndian(at: 128)]
    lastPage = page.littleEndian(at: 136)
    transaction = page.littleEndian(at: 144)
  }

  /// Why this page and the second one cannot be what LMDB wrote; `nil` if they can.
  ///
  /// A commit with the number *n* is written to the meta page *n* mod 2. So the two numbers are
  /// always consecutive, and the first page has the even one. In a new file, both pages have the
  /// number 0, and the first one has no roots.
  func doubt(with second: MetaPage) -> String? {
    guard number == 0, second.number == 1, pageSize == second.pageSize else {
      return "its meta pages are not each other's neighbours"
    }
    // After a failed commit, LMDB restores the older page's number and last page, but not its roots
    // (`mdb_env_write_meta`). So only the roots of the newer page are checked.
    let newer = second.transaction > transaction ? second : self
    if newer.roots.contains(where: newer.isOutside) {
      return "a meta page refers to a page beyond the last one"
    }
    if transaction == 0, second.transaction == 0 {
      // If both numbers are equal, LMDB reads the first page. So a first commit that failed may
      // have left its roots in the second.
      let isNew = roots.allSatisfy { $0 == Self.noPage }
      return isNew ? nil : "its meta pages differ and have the same number"
    }
    let isEvenFirst = transaction % 2 == 0 && second.transaction % 2 == 1
    let distance = max(transaction, second.transaction) - min(transaction, second.transaction)
    guard isEvenFirst, distance == 1 else {
      return "its meta pages have the numbers \(transaction) and \(second.transaction), which do "
        + "not follow each other"
    }
    return nil
  }

  private func isOutside(_ root: UInt64) -> Bool { root != Self.noPage && root > lastPage }
}
