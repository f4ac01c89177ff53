internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension Environment {
  /// The name of the file of tables in the environment's folder.
  public static let dataFileName = "data.mdb"

  /// The name of the file of locks and readers.
  public static let lockFileName = "lock.mdb"

  /// The bytes of a page of an environment that is created by this process.
  package static var newPageSize: Int { Int(sysconf(Int32(_SC_PAGESIZE))) }

  /// The smallest map that is tried before opening fails for lack of address space.
  private static let mapSizeBytesMin = 1 << 24

  /// Opens the environment in the folder `path`, and creates it unless `options` are read-only.
  ///
  /// Clears the slots of readers that died.
  ///
  /// - Throws: ``LMDBError``: `alreadyOpen` if this process has it open, `networkFileSystem`,
  ///   `truncated`, `invalidFile`, `versionMismatch`, `missing`, or an error of the system.
  public static func open(
    _ path: String, options: Options = Options()
  ) throws(LMDBError) -> Environment {
    precondition(MemoryLayout<Int>.size == 8, "LMDB's map needs a 64-bit address space")
    precondition(options.readOnly || options.usesLocks, "who writes needs locks")
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw LMDBError(
        .badArgument, operation: "open", message: "A path must not be empty or contain a NUL byte.")
    }
    watchForks()
    let isNewFolder = try createFolder(path, options)
    try refuseNetworkFileSystem(path)
    let file = try DataFile(folder: path, options: options)
    if options.replacesUnbegun, !options.readOnly { try file.emptyUnbegun() }
    if try file.size() == 0 {
      guard !options.readOnly else {
        throw LMDBError(.missing, operation: "open", message: "\(file.path) is empty.")
      }
      // LMDB syncs its files, but not the folders that contain their names.
      try syncFolder(path)
      if isNewFolder { try syncFolder(path + "/..") }
    }
    guard let number = EnvironmentRegistry.shared.add(file.identity) else {
      throw LMDBError(
        .alreadyOpen, operation: "open",
        message: "\(path) is open in this process: share that environment, or close it first.")
    }
    let handle: OpaquePointer
    do throws(LMDBError) {
      try file.check()
      if options.usesLocks { try file.beginOpening() }
      defer { file.endOpening() }
      if options.usesLocks { try file.makeOwnersLockFile("\(path)/\(lockFileName)", options.mode) }
      unsafe handle = try openHandle(path, options)
    } catch {
      EnvironmentRegistry.shared.remove(file.identity)
      throw error
    }
    let environment = unsafe Environment(
      handle: handle, path: path, options: options, number: number, identity: file.identity)
    try environment.clearDeadReaders()
    // After a commit that failed at its meta page, LMDB puts back the old one without a sync. Until
    // that is on the disk, a power failure may bring back the meta page of the commit that failed,
    // whose pages the next commit uses again.
    if !options.readOnly, options.sync == .everyCommit {
      do throws(LMDBError) { try environment.sync() } catch {
        // No commit is concerned: nothing was written.
        guard let cause = error.cause else { throw error }
        throw LMDBError(status: cause, operation: "open")
      }
    }
    if options.replacesUnbegun, !options.readOnly { try environment.writeFirstPagesAgain() }
    return environment
  }

  /// Writes the first two pages once more and syncs them, if nothing was committed yet.
  ///
  /// If an earlier attempt could not sync them, the system takes for written what never reached the
  /// disk, and LMDB never writes the beginnings of its meta pages again.
  private func writeFirstPagesAgain() throws(LMDBError) {
    guard try info().lastTransaction == 0 else { return }
    // Under the writer's lock, so that nobody commits meanwhile.
    let transaction = try beginWrite()
    guard transaction.id == 1 else { return }
    let written = Result { () throws(LMDBError) in
      let file = try FlatFile.open("\(path)/\(Self.dataFileName)", isWritable: true)
      guard let file else { return }
      try file.write(try file.read(at: 0, count: 2 * Self.newPageSize), at: 0)
      try file.sync()
    }
    transaction.abort()
    try written.get()
  }

  private static func createFolder(_ path: String, _ options: Options) throws(LMDBError) -> Bool {
    guard !options.readOnly else { return false }
    // Whoever may list the folder must also be able to enter it.
    let mode = mode_t(options.mode | ((options.mode & 0o444) >> 2))
    // SAFETY: mkdir reads the path during the call.
    if unsafe mkdir(path, mode) == 0 { return true }
    if errno != EEXIST { throw systemFailure("create folder", path) }
    return false
  }

  /// Opens with the requested map size, or the largest that the limits of the process allow.
  private static func openHandle(
    _ path: String, _ options: Options
  ) throws(LMDBError) -> OpaquePointer {
    var mapSize = options.mapSize
    while true {
      do throws(LMDBError) {
        return try unsafe openHandle(path, options, mapSize: mapSize)
      } catch {
        guard error.code == .system(ENOMEM), mapSize > mapSizeBytesMin else { throw error }
      }
      mapSize = max(mapSizeBytesMin, mapSize / 2)
    }
  }

  private static func openHandle(
    _ path: String, _ options: Options, mapSize: Int
  ) throws(LMDBError) -> OpaquePointer {
    var created: OpaquePointer?
    // SAFETY: LMDB creates the handle; it is closed after every failure below, as LMDB requires.
    let status = unsafe mdb_env_create(&created)
    guard status == 0, let handle = unsafe created else {
      throw LMDBError(status: status, operation: "open")
    }
    // SAFETY: the handle is new and not shared yet.
    let failure = [
      { unsafe mdb_env_set_mapsize(handle, mapSize) },
      { unsafe mdb_env_set_maxdbs(handle, UInt32(options.maxTables)) },
      { unsafe mdb_env_set_maxreaders(handle, UInt32(options.maxReaders)) },
      { unsafe mdb_env_open(handle, path, options.flags, mdb_mode_t(options.mode)) },
    ].lazy.map { $0() }.first { $0 != 0 }
    if let failure {
      unsafe mdb_env_close(handle)
      throw openFailure(failure, path, options)
    }
    return unsafe handle
  }

  private static func openFailure(
    _ status: Int32, _ path: String, _ options: Options
  ) -> LMDBError {
    switch status {
    case EAGAIN:
      LMDBError(
        .system(status), operation: "open",
        message: """
          \(path) is locked in a way that processes of another pid namespace or an opening process \
          cause; processes of one environment must share a pid namespace.
          """)
    case EACCES:
      LMDBError(
        .system(status), operation: "open",
        message: "No right to open \(path): reading, too, needs write access to \(lockFileName).")
    default:
      LMDBError(
        status: status, operation: "open",
        message: "\(path): \(LMDBError.Code(status: status).advice)")
    }
  }
}

extension Environment.Options {
  /// Returns the flags of `mdb_env_open`. Readers are never tied to threads.
  fileprivate var flags: UInt32 {
    var flags = MDB_NOTLS
    if readOnly { flags |= MDB_RDONLY }
    if !usesLocks { flags |= MDB_NOLOCK }
    if !readAhead { flags |= MDB_NORDAHEAD }
    switch sync {
    case .everyCommit: break
    case .beforeNextCommit: flags |= MDB_NOMETASYNC
    case .onRequest: flags |= MDB_NOSYNC
    }
    return UInt32(flags)
  }
}

/// The failure that `errno` reports.
func systemFailure(_ operation: String, _ path: String) -> LMDBError {
  let number = errno
  return LMDBError(
    .system(number), operation: operation, message: "\(path): \(systemMessage(number))")
}
