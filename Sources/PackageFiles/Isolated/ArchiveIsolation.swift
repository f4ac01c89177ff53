/// Where an archive is parsed.
///
/// A parser of a complex format may have errors that a hostile archive exploits. In a child process
/// it can crash, use up its memory or never end, and the caller only gets an error.
public enum ArchiveIsolation: Sendable, Hashable {
  /// In this process.
  case none
  /// In a child process that runs `command`, which must call ``ArchiveServer/run()``.
  case child(command: [String], limits: ArchiveLimits)
}

/// The resources that a child process may use to parse one archive.
public struct ArchiveLimits: Sendable, Hashable {
  /// The size of its address space in bytes. The largest accepted table of contents takes roughly 1
  /// GiB.
  public var memoryBytes: UInt64 = 3 << 30
  /// The number of seconds to wait for an answer.
  public var answerSeconds = 300
  /// The processor time in seconds, in addition to the time for the archive's size.
  public var processorSeconds: UInt64 = 60
  /// The bytes of the archive that a very slow machine unpacks in a second of processor time.
  public var bytesPerSecond: UInt64 = 4 << 20

  public init() {}
}
