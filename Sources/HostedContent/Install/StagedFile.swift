internal import Dispatch
internal import PackageFiles
internal import Synchronization
internal import WorkThreads

/// A file that is being copied. Large pieces are written on another thread while the caller hashes
/// them.
///
/// At most one piece is in flight. It is kept until it is written, and not copied. Writing takes
/// less time than hashing.
final class StagedFile: Sendable {
  /// The size in bytes from which a piece is written on another thread.
  private static let besideBytesMin = 256 * 1024
  /// The number of bytes after which the disk is asked to start writing them: a few tenths of a
  /// second of its work.
  private static let syncBytes: UInt64 = 32 * 1024 * 1024

  private struct Progress {
    var written: UInt64 = 0
    /// The number of bytes that the disk was asked to write.
    var begun: UInt64 = 0
    var failure: FolderError?
  }

  private let progress = Mutex(Progress())
  /// The writer; nil after the file is closed.
  private let writer: Mutex<FileWriter?>
  private let beside = DispatchGroup()

  private static let thread = BackgroundThread()

  init(_ writer: consuming FileWriter) { self.writer = Mutex(writer) }

  /// Writes the next piece, here or on another thread.
  ///
  /// - Throws: `FolderError` of this piece or an earlier one.
  func write(_ bytes: ArraySlice<UInt8>) throws(FolderError) {
    try wait()
    guard bytes.count >= Self.besideBytesMin else {
      try writer.withLock { (file) throws(FolderError) in try file?.write(bytes.span) }
      return progress.withLock { $0.written += UInt64(bytes.count) }
    }
    beside.enter()
    let write = { @Sendable [self] in
      defer { beside.leave() }
      do throws(FolderError) {
        try writer.withLock { (file) throws(FolderError) in try file?.write(bytes.span) }
        try beginSync(adding: UInt64(bytes.count))
      } catch {
        progress.withLock { $0.failure = error }
      }
    }
    // If no thread can be started, this one writes.
    if !Self.thread.run(write) { write() }
  }

  private func beginSync(adding count: UInt64) throws(FolderError) {
    let part = progress.withLock { progress -> (start: UInt64, bytes: UInt64)? in
      progress.written += count
      let bytes = progress.written - progress.begun
      guard bytes >= Self.syncBytes else { return nil }
      defer { progress.begun = progress.written }
      return (progress.begun, bytes)
    }
    guard let part else { return }
    try writer.withLock { (file) throws(FolderError) in
      try file?.beginSync(from: part.start, bytes: part.bytes)
    }
  }

  /// Waits for the piece in flight.
  private func wait() throws(FolderError) {
    beside.wait()
    if let failure = progress.withLock({ $0.failure }) { throw failure }
  }

  /// Closes the file after the last piece.
  func finish() throws(FolderError) {
    try wait()
    guard let file = writer.withLock({ $0.take() }) else { return }
    if !FolderHandle.syncsWholeFileSystems { try file.sync() }
    try file.finish()
  }
}
