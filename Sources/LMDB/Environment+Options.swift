extension Environment {
  /// How an environment is opened.
  public struct Options: Sendable {
    /// The maximum size of the file in bytes. Only address space is reserved.
    ///
    /// If the process may not reserve that much (`ulimit -v`), the size is halved until it can.
    /// ``Environment/info()`` reports the result.
    public var mapSize: Int

    /// The maximum number of named tables that can be opened.
    public var maxTables: Int

    /// The maximum number of read transactions at once, in all processes together.
    ///
    /// Has an effect only in the process that creates the lock file.
    public var maxReaders: Int

    /// Whether to reject writes and to open only what exists.
    public var readOnly: Bool

    /// Whether readers and writers register in a lock file (`MDB_NOLOCK` if not).
    ///
    /// You can do without it only to read what nobody writes at the same time, such as a copy. A
    /// writer would reuse pages that are being read. Without a lock file, nothing is created beside
    /// the data file, and permission to read it is enough.
    public var usesLocks: Bool

    /// When writes reach the disk.
    public var sync: SyncPolicy

    /// The permissions of created files. A created folder also gets `x` wherever `r` is set.
    public var mode: UInt32

    /// Whether the system should read ahead. Turn this off if the file is larger than memory.
    public var readAhead: Bool

    /// Whether a file is begun anew if an attempt to create it was cut short before its first two
    /// pages were whole, and nothing shows that it was ever used. Only for what can be created
    /// again.
    public var replacesUnbegun = false

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
