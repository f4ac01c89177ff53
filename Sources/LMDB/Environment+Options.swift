extension Environment {
  /// How an environment is opened.
  public struct Options: Sendable {
    /// The largest size of the file in bytes; only address space is taken.
    ///
    /// If the process may not have that much (`ulimit -v`), the largest power of two that it may
    /// have is used. ``Environment/info()`` reports it.
    public var mapSize: Int

    /// How many named tables may be opened.
    public var maxTables: Int

    /// How many read transactions may exist at once, over all processes.
    ///
    /// Has an effect only in the process that creates the lock file.
    public var maxReaders: Int

    /// Rejects writes, and opens only what exists.
    public var readOnly: Bool

    /// Whether readers and writers register in a lock file (`MDB_NOLOCK` if not).
    ///
    /// You can do without it only to read what nobody writes at the same time, such as a copy. A
    /// writer would reuse pages that are being read. Without a lock file, nothing is created beside
    /// the data file, and permission to read it is enough.
    public var usesLocks: Bool

    /// When writes reach the disk.
    public var sync: SyncPolicy

    /// The permissions of files and folder that are created; the folder gets `x` if `r` is.
    public var mode: UInt32

    /// Whether the system should read ahead. Turn this off if the file is larger than memory.
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
    /// Before the commit returns. What was committed survives a power failure.
    case everyCommit

    /// All commits but the last survive a power failure, and the file stays intact.
    case beforeNextCommit

    /// When ``Environment/sync()`` is called, or when the system chooses. A power failure may
    /// destroy the file. Use this only for what can be created again.
    case onRequest
  }
}
