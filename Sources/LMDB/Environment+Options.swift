extension Environment {
  /// How an environment is opened.
  public struct Options: Sendable {
    /// The largest size of the file in bytes; only address space is taken.
    ///
    /// Where the process may not have that much (`ulimit -v`), the largest power of two that it
    /// may have is taken; ``Environment/info()`` reports it.
    public var mapSize: Int

    /// How many named tables may be opened.
    public var maxTables: Int

    /// How many read transactions may exist at once, over all processes.
    ///
    /// Counts only for the process that creates the lock file.
    public var maxReaders: Int

    /// Refuses writes, and opens only what exists.
    public var readOnly: Bool

    /// Whether a lock file tells readers and writers of each other (`MDB_NOLOCK` where not).
    ///
    /// Only reading can do without, and only of what nobody writes meanwhile, such as a copy: a
    /// writer would use pages again that are being read. Nothing is made beside the file then,
    /// and the right to read it is enough.
    public var usesLocks: Bool

    /// When writes reach the disk.
    public var sync: SyncPolicy

    /// The permissions of files and folder that are created; the folder gets `x` where `r` is.
    public var mode: UInt32

    /// Whether the system should read ahead; turn off when the file is larger than the memory.
    public var readAhead: Bool

    /// Options that suit a ledger: 1 TiB of map, owner only, durable commits.
    public init(
      mapSize: Int = 1 << 40, maxTables: Int = 64, maxReaders: Int = 126, readOnly: Bool = false,
      usesLocks: Bool = true, sync: SyncPolicy = .everyCommit, mode: UInt32 = 0o600,
      readAhead: Bool = true
    ) {
      self.mapSize = mapSize
      self.maxTables = maxTables
      self.maxReaders = maxReaders
      self.readOnly = readOnly
      self.usesLocks = usesLocks
      self.sync = sync
      self.mode = mode
      self.readAhead = readAhead
    }
  }

  /// When a commit's writes reach the disk.
  public enum SyncPolicy: Sendable {
    /// Before the commit returns: what was committed survives a power failure.
    case everyCommit

    /// All but the last commit survive a power failure; the file stays whole.
    case beforeNextCommit

    /// When ``Environment/sync()`` is called or the system likes to; a power failure may destroy
    /// the file. For what can be made again.
    case onRequest
  }
}
