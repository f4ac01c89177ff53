/// Where an archive is parsed.
///
/// A parser of a complex format may have errors that a hostile archive uses. In a child process it
/// can crash, take all of its memory, or never end, and the caller gets an error.
public enum ArchiveIsolation: Sendable, Hashable {
  /// In this process.
  case none
  /// In a child process that runs `command`, which must call ``ArchiveServer/run()``.
  case child(command: [String], limits: ArchiveLimits)
}

/// What a child process may use to parse one archive.
public struct ArchiveLimits: Sendable, Hashable {
  /// Bytes of its address space. The largest table of contents that is accepted takes about
  /// 1 GiB.
  public var memoryBytes: UInt64 = 3 << 30
  /// Seconds until the child is taken for one that never answers.
  public var answerSeconds = 300
  /// Seconds of processor time, besides those for the archive's size.
  public var processorSeconds: UInt64 = 60
  /// Bytes of the archive that are unpacked in a second of processor time on a very slow machine.
  public var bytesPerSecond: UInt64 = 4 << 20

  public init() {}
}
