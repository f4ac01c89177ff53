internal import Dispatch
internal import PackageFiles
internal import Synchronization
internal import WorkThreads

/// Writes small files on another thread, while the next ones are read and hashed. Creating a small
/// file costs as much as hashing it. If no thread can be started, they are written on this one.
///
/// Files are created in order, one at a time. If creating one fails, the next call throws the
/// error. After the last file, call `wait()`.
final class SmallFiles: Sendable {
  /// The size in bytes from which a file is not small, and is written in pieces.
  static let bytesMax = 256 * 1024
  /// The number of files that are written directly, before others are written on another thread.
  /// For fewer files, a thread is not worthwhile, and the system calls of a small package keep
  /// their order.
  static let atOnceCount = 64
  /// The number of files that can wait to be written: at most 16 MiB of them.
  private static let waitingMax = 64

  private let failure = Mutex<FolderError?>(nil)
  private let room = DispatchSemaphore(value: waitingMax)
  private let group = DispatchGroup()
  private let thread = BackgroundThread()
  private let made = Mutex(0)

  /// Creates a file with these bytes, now or soon.
  ///
  /// - Throws: `FolderError` of this file or an earlier one.
  func make(_ name: String, of bytes: [UInt8], in folder: OpenFolder) throws(FolderError) {
    try throwFailure()
    let number = made.withLock { count in
      count += 1
      return count
    }
    guard number > Self.atOnceCount else { return try Self.write(name, bytes, folder) }
    room.wait()
    group.enter()
    let write = { @Sendable [self] in
      defer {
        room.signal()
        group.leave()
      }
      // After a failure, nothing more is created, because everything will be undone.
      guard failure.withLock({ $0 == nil }) else { return }
      do throws(FolderError) {
        try Self.write(name, bytes, folder)
      } catch {
        failure.withLock { $0 = error }
      }
    }
    if !thread.run(write) { write() }
  }

  /// Waits until nothing is being written, without reporting errors.
  func waitUntilIdle() { group.wait() }

  /// Waits until all files are written.
  ///
  /// - Throws: `FolderError` of the first file that could not be written.
  func wait() throws(FolderError) {
    waitUntilIdle()
    try throwFailure()
  }

  private func throwFailure() throws(FolderError) {
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private static func write(
    _ name: String, _ bytes: [UInt8], _ folder: OpenFolder
  ) throws(FolderError) {
    let file = try folder.handle.makeFile(name)
    if !bytes.isEmpty { try file.write(bytes.span) }
    if !FolderHandle.syncsWholeFileSystems { try file.sync() }
    try file.finish()
  }
}
