internal import CLMDB
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// An LMDB environment: a folder with one file of tables and one of locks.
///
/// Open it once per process and share it. You can use it from all threads. Transactions keep it
/// open. It closes when the last reference is released, or with ``close()``.
@safe
public final class Environment: Sendable {
  /// The folder.
  public let path: String

  /// The options with which it was opened.
  public let options: Options

  let number: UInt32
  let forkGeneration: Int
  let gate = Gate()
  let identity: FileIdentity

  // SAFETY: several threads may use MDB_env; the gate and the locks below follow its rules.
  private nonisolated(unsafe) let handle: OpaquePointer
  private let isClosed = Atomic<Bool>(false)
  private let hasFailed = Atomic<Bool>(false)
  private let transactions = Atomic<Int>(0)
  private let writer = Atomic<UInt>(0)
  private let tables = Mutex<[String: Table]>([:])

  init(
    handle: OpaquePointer, path: String, options: Options, number: UInt32, identity: FileIdentity
  ) {
    unsafe self.handle = handle
    self.path = path
    self.options = options
    self.number = number
    self.identity = identity
    forkGeneration = currentForkGeneration
  }

  deinit {
    if !isClosed.load(ordering: .acquiring) { closeHandle() }
  }

  /// Whether its path leads to no file or to another one than is open: whoever moves a folder takes
  /// along the files that a process has open in it. False if the system does not say.
  ///
  /// - Complexity: O(1), one question to the file system.
  package var isElsewhere: Bool {
    do throws(LMDBError) {
      return try LMDB.identity(of: "\(path)/\(Self.dataFileName)") != identity
    } catch { return false }
  }

  /// Closes the environment's files.
  ///
  /// - Throws: ``LMDBError``: `transactionsOpen` while transactions exist, even reset ones.
  public func close() throws(LMDBError) {
    try refuseIfForked("close")
    guard gate.shut(patienceMicroseconds: 0) else {
      throw LMDBError(.transactionsOpen, operation: "close")
    }
    defer { gate.open() }
    guard !isClosed.load(ordering: .acquiring) else { return }
    guard transactions.load(ordering: .acquiring) == 0 else {
      throw LMDBError(.transactionsOpen, operation: "close")
    }
    isClosed.store(true, ordering: .releasing)
    closeHandle()
  }

  private func closeHandle() {
    // A forked child leaves everything to its parent: closing would release the parent's locks.
    guard !isForked else { return }
    EnvironmentRegistry.shared.remove(identity) {
      // SAFETY: no transaction exists, and the environment is closed once.
      unsafe mdb_env_close(handle)
    }
  }

  /// The number of transactions of this process, including reset ones.
  public var transactionCount: Int { transactions.load(ordering: .acquiring) }

  /// Whether a commit failed in a way that leaves its outcome unknown.
  public var isFailed: Bool { hasFailed.load(ordering: .acquiring) }
}

// MARK: - Transactions

extension Environment {
  /// Takes a snapshot for reading.
  ///
  /// - Complexity: O(1) and one allocation; reuse the snapshot with ``ReadTransaction/renew()``.
  /// - Throws: ``LMDBError``: `readersFull`, `closed`, `forked`, `mapResized`.
  public func beginRead() throws(LMDBError) -> ReadTransaction {
    let handle = try unsafe begin(flags: UInt32(MDB_RDONLY), "begin read")
    return unsafe ReadTransaction(handle: handle, environment: self)
  }

  /// Begins the environment's only write transaction, after waiting for other threads and
  /// processes.
  ///
  /// - Throws: ``LMDBError``: `readOnly`, `writeInProgress` if this thread has it already,
  ///   `environmentFailed` after a commit of unknown outcome, `closed`, `forked`.
  @available(*, noasync, message: "a write transaction stays on its thread")
  @_lifetime(immortal)
  public func beginWrite() throws(LMDBError) -> WriteTransaction {
    let handle = try unsafe beginWriting("begin write")
    return unsafe WriteTransaction(handle: handle, environment: self)
  }

  /// Takes LMDB's writer lock, and records who holds it.
  func beginWriting(_ operation: StaticString) throws(LMDBError) -> OpaquePointer {
    if options.readOnly { throw LMDBError(.readOnly, operation: "\(operation)") }
    if isFailed { throw LMDBError(.environmentFailed, operation: "\(operation)") }
    if writer.load(ordering: .relaxed) == currentThread {
      throw LMDBError(.writeInProgress, operation: "\(operation)")
    }
    let handle = try unsafe begin(flags: 0, operation)
    // LMDB releases its lock inside a commit, so the previous writer may not have recorded the
    // outcome yet.
    while writer.load(ordering: .acquiring) != 0 { sched_yield() }
    writer.store(currentThread, ordering: .relaxed)
    if isFailed {
      unsafe abortWriting(handle)
      throw LMDBError(.environmentFailed, operation: "\(operation)")
    }
    return unsafe handle
  }

  /// Ends a write transaction on its thread and keeps what it wrote.
  func commitWriting(_ transaction: OpaquePointer) throws(LMDBError) {
    checkWriter()
    // SAFETY: the transaction is open, on its thread; LMDB frees it whatever the result.
    let status = unsafe mdb_txn_commit(transaction)
    let failure = status == 0 ? nil : fullDisk(status) ?? commitFailure(status)
    writer.store(0, ordering: .releasing)
    transactionEnded(active: true)
    if let failure { throw failure }
  }

  /// Ends a write transaction on its thread and discards what it wrote.
  func abortWriting(_ transaction: OpaquePointer) {
    checkWriter()
    writer.store(0, ordering: .releasing)
    // SAFETY: the transaction is open, on its thread.
    unsafe mdb_txn_abort(transaction)
    transactionEnded(active: true)
  }

  func begin(flags: UInt32, _ operation: StaticString) throws(LMDBError) -> OpaquePointer {
    try enter(operation)
    var transaction: OpaquePointer?
    // SAFETY: the environment is open: the gate prevents closing until this thread leaves.
    var status = unsafe mdb_txn_begin(handle, nil, flags, &transaction)
    if status == MDB_MAP_RESIZED {
      gate.leave()
      try followResize()
      try enter(operation)
      status = unsafe mdb_txn_begin(handle, nil, flags, &transaction)
    }
    if status == MDB_READERS_FULL {
      do throws(LMDBError) {
        if try clearDeadReaders() > 0 {
          status = unsafe mdb_txn_begin(handle, nil, flags, &transaction)
        }
      } catch {
        gate.leave()
        throw error
      }
    }
    guard status == 0, let transaction = unsafe transaction else {
      let failure =
        status == MDB_READERS_FULL
        ? readersFull("\(operation)") : LMDBError(status: status, operation: "\(operation)")
      gate.leave()
      throw failure
    }
    _ = transactions.wrappingAdd(1, ordering: .relaxed)
    return unsafe transaction
  }

  /// Enters the gate, if the environment can be used at all.
  @inline(__always)
  func enter(_ operation: StaticString) throws(LMDBError) {
    gate.enter()
    if isClosed.load(ordering: .relaxed) || isForked {
      gate.leave()
      throw LMDBError(isForked ? .forked : .closed, operation: "\(operation)")
    }
  }

  func transactionEnded(active: Bool) {
    _ = transactions.wrappingSubtract(1, ordering: .releasing)
    if active { gate.leave() }
  }

  /// Stops the process if a thread other than its own uses the write transaction.
  @inline(__always)
  func checkWriter() {
    precondition(
      writer.load(ordering: .relaxed) == currentThread,
      "a write transaction stays on the thread that began it")
  }

  /// Explains a commit that failed because the disk is full; `nil` if its outcome is unknown.
  ///
  /// LMDB writes and syncs all pages of a commit before it writes the meta page that makes it valid
  /// (`mdb_txn_commit`), and the next commit writes all of its own pages. So nothing of this one
  /// ever counts, and the environment remains in use: once there is room, writes go on.
  private func fullDisk(_ status: Int32) -> LMDBError? {
    guard options.sync == .everyCommit else { return nil }
    // LMDB reports a write that was cut short as EIO.
    let isFull = status == ENOSPC || status == EDQUOT || (status == EIO && isDiskFull(path))
    guard isFull, !hasPanicked else { return nil }
    return LMDBError(
      .system(ENOSPC), operation: "commit",
      message: "The disk is full, and nothing was committed: make room, then repeat the write.")
  }

  /// Whether LMDB refuses all further transactions, because it could not write a meta page. Only
  /// then can a commit that failed have taken effect.
  private var hasPanicked: Bool {
    var transaction: OpaquePointer?
    // SAFETY: the environment is open: a commit of this thread is under way, and its transaction
    // has ended.
    let status = unsafe mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
    guard status == 0 else { return true }
    unsafe mdb_txn_abort(transaction)
    return false
  }

  /// Explains a failed commit and, if its outcome is unknown, prevents further writes.
  @inline(never)
  func commitFailure(_ status: Int32) -> LMDBError {
    let code = LMDBError.Code(status: status)
    switch code {
    case .system, .panic, .unknown:
      hasFailed.store(true, ordering: .releasing)
      return LMDBError(
        .environmentFailed, operation: "commit",
        message: """
          The outcome of the commit is unknown: \(code.advice) Close it and open it again, or \
          start the program again, and look before you repeat the write.
          """,
        cause: status)
    default: return LMDBError(code, operation: "commit")
    }
  }
}

// MARK: - What is refused

extension Environment {
  var isForked: Bool {
    @inline(__always) get { forkGeneration != currentForkGeneration }
  }

  func refuseIfForked(_ operation: String) throws(LMDBError) {
    if isForked { throw LMDBError(.forked, operation: operation) }
  }

  /// Calls `body` with the open environment.
  func withHandle<Value>(
    _ operation: StaticString, _ body: (OpaquePointer) throws(LMDBError) -> Value
  ) throws(LMDBError) -> Value {
    try enter(operation)
    defer { gate.leave() }
    return try unsafe body(handle)
  }

  /// Calls `body` with the open environment while no other thread uses it.
  func withHandleAlone<Value>(
    _ operation: StaticString, patienceMicroseconds: Int,
    _ body: (OpaquePointer) throws(LMDBError) -> Value
  ) throws(LMDBError) -> Value {
    guard gate.shut(patienceMicroseconds: patienceMicroseconds) else {
      throw LMDBError(.transactionsOpen, operation: "\(operation)")
    }
    defer { gate.open() }
    if isForked { throw LMDBError(.forked, operation: "\(operation)") }
    if isClosed.load(ordering: .acquiring) { throw LMDBError(.closed, operation: "\(operation)") }
    return try unsafe body(handle)
  }

  /// Calls `body` with the tables opened so far, one caller at a time.
  func withTables<Value>(
    _ body: (inout [String: Table]) throws(LMDBError) -> Value
  ) throws(LMDBError) -> Value {
    try tables.withLock { (tables: inout sending [String: Table]) throws(LMDBError) in
      try body(&tables)
    }
  }
}

/// The calling thread, as a number that no other living thread has.
private var currentThread: UInt {
  #if canImport(Glibc)
    UInt(pthread_self())
  #else
    UInt(bitPattern: pthread_self())
  #endif
}
