internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The sizes of an environment, and how full it is.
public struct EnvironmentInformation: Sendable, Hashable {
  /// The size of the map in bytes: the size to which the file can grow in this process.
  public let mapSize: Int

  /// The size of a page in bytes, as its creator chose it.
  public let pageSize: Int

  /// The number of pages of the file that were ever used. Some may be free again.
  public let usedPages: Int

  /// The number of the last commit.
  public let lastTransaction: Int

  /// The maximum number of readers at once.
  public let readersMax: Int

  /// The number of reader slots that are or were in use.
  public let readersUsed: Int

  /// The size in bytes of the pages that were ever used.
  public var usedBytes: Int { usedPages * pageSize }
}

/// A read transaction of this or another process.
public struct Reader: Sendable, Hashable {
  /// The id of the process.
  public let process: Int32

  /// The commit that it sees; `nil` if it is between two snapshots.
  public let transaction: Int?

  /// The number of commits by which it is behind the newest one; `nil` if it is between two
  /// snapshots.
  public let lag: Int?
}

extension Environment {
  /// Returns the sizes and the number of the last commit.
  ///
  /// - Complexity: O(1).
  public func info() throws(LMDBError) -> EnvironmentInformation {
    try unsafe withHandle("info") { (handle) throws(LMDBError) in
      var info = unsafe MDB_envinfo()
      var stat = MDB_stat()
      // SAFETY: the environment is open; LMDB fills the structures.
      var status = unsafe mdb_env_info(handle, &info)
      if status == 0 { status = unsafe mdb_env_stat(handle, &stat) }
      guard status == 0 else { throw LMDBError(status: status, operation: "info") }
      return unsafe EnvironmentInformation(
        mapSize: info.me_mapsize, pageSize: Int(stat.ms_psize), usedPages: info.me_last_pgno + 1,
        lastTransaction: info.me_last_txnid, readersMax: Int(info.me_maxreaders),
        readersUsed: Int(info.me_numreaders))
    }
  }

  /// Returns the number of the last commit, which is ``ReadTransaction/id`` of a snapshot of it.
  ///
  /// - Complexity: O(1), no lock and no allocation. It is cheaper than a snapshot.
  public func lastCommit() throws(LMDBError) -> Int {
    try unsafe withHandle("info") { (handle) throws(LMDBError) in
      var info = unsafe MDB_envinfo()
      // SAFETY: the environment is open; LMDB fills the structure.
      let status = unsafe mdb_env_info(handle, &info)
      guard status == 0 else { throw LMDBError(status: status, operation: "info") }
      return unsafe info.me_last_txnid
    }
  }

  /// Returns the readers of all processes, starting with the one that is furthest behind.
  ///
  /// - Complexity: O(*r* log *r*) in the number of slots.
  public func readers() throws(LMDBError) -> [Reader] {
    let last = try lastCommit()
    let lines = try unsafe withHandle("readers") { (handle) throws(LMDBError) in
      var lines = ReaderLines()
      // SAFETY: LMDB calls back only during the call. The text is copied, and the context is the
      // structure above.
      let status = unsafe withUnsafeMutablePointer(to: &lines) { context in
        unsafe mdb_reader_list(
          handle,
          { text, context in
            guard let text = unsafe text, let context = unsafe context else { return 0 }
            let lines = unsafe context.assumingMemoryBound(to: ReaderLines.self)
            unsafe lines.pointee.texts.append(String(cString: text))
            return 0
          }, context)
      }
      guard status >= 0 else { throw LMDBError(status: status, operation: "readers") }
      return lines.texts
    }
    return lines.compactMap { Reader(line: $0, last: last) }
      .sorted { ($0.lag ?? -1) > ($1.lag ?? -1) }
  }

  /// The maximum number of processes that an error names.
  private static let processesNamedMax = 5

  /// The error if no reader slot is free. It names the processes that occupy them.
  func readersFull(_ operation: String) -> LMDBError {
    let held: [Reader]
    do throws(LMDBError) { held = try readers() } catch {
      return LMDBError(.readersFull, operation: operation)
    }
    let byProcess = Dictionary(grouping: held, by: \.process)
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    var named = byProcess.prefix(Self.processesNamedMax).map { process, readers in
      let lag = readers.compactMap(\.lag).max() ?? 0
      return "process \(process) has \(readers.count), at most \(lag) commits behind"
    }
    let others = byProcess.count - named.count
    if others > 0 { named.append("and \(others) more") }
    return LMDBError(
      .readersFull, operation: operation,
      message: """
        No more readers are possible in \(path), because \(held.count) have not ended \
        (\(named.joined(separator: "; "))): end these processes, or wait for them.
        """)
  }

  /// Frees the slots of readers whose process has died, and returns their number.
  ///
  /// - Complexity: O(*r* log *r*) in the number of slots.
  @discardableResult
  public func clearDeadReaders() throws(LMDBError) -> Int {
    try unsafe withHandle("clear dead readers") { (handle) throws(LMDBError) in
      var dead: Int32 = 0
      // SAFETY: the environment is open; LMDB sets the number.
      let status = unsafe mdb_reader_check(handle, &dead)
      guard status == 0 else { throw LMDBError(status: status, operation: "clear dead readers") }
      return Int(dead)
    }
  }

  /// Writes committed data to the disk. Needed only if the ``SyncPolicy`` does not do so.
  public func sync() throws(LMDBError) {
    try unsafe withHandle("sync") { (handle) throws(LMDBError) in
      // SAFETY: the environment is open.
      let status = unsafe mdb_env_sync(handle, 1)
      guard status == 0 else { throw commitFailure(status) }
    }
  }

  /// Copies a snapshot to the file `data.mdb` in the folder `path`. The folder must exist, and the
  /// file must not.
  ///
  /// The copy has reached the disk when this returns. While the copy runs, it is a read
  /// transaction, so pages are not reused. If a copy fails, the caller must remove what it left
  /// behind.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - compacting: Whether to leave out free pages and renumber the others.
  /// - Complexity: O(*p*) in the number of pages.
  public func copy(to path: String, compacting: Bool = false) throws(LMDBError) {
    try unsafe withHandle("copy") { (handle) throws(LMDBError) in
      // SAFETY: the environment is open; the path is read during the call.
      let status = unsafe mdb_env_copy2(handle, path, compacting ? UInt32(MDB_CP_COMPACT) : 0)
      guard status == 0 else {
        // A compact copy reads on one thread and writes on another.
        let advice =
          compacting && status == EAGAIN
          ? "no thread can be started: raise the limit of processes, or free memory."
          : LMDBError.Code(status: status).advice
        throw LMDBError(status: status, operation: "copy", message: "\(path): \(advice)")
      }
    }
    try syncFile(path + "/" + Self.dataFileName)
    try syncFolder(path)
  }
}

private struct ReaderLines {
  var texts: [String] = []
}

extension Reader {
  /// Reads a line of `mdb_reader_list`: process, thread, transaction. Returns `nil` for the
  /// heading.
  fileprivate init?(line: String, last: Int) {
    let fields = line.split(whereSeparator: \.isWhitespace)
    guard fields.count == 3, let process = Int32(fields[0]) else { return nil }
    self.process = process
    transaction = Int(fields[2])
    lag = transaction.map { last - $0 }
  }
}
