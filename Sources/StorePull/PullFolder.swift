import Foundation
import PackageFiles

/// The folder in which a pull keeps its answers and how far it came: never inside of the ledger,
/// whose files belong to LMDB.
///
/// - `lock`: held by the pull that runs.
/// - `state/`: a small file for each list, replaced as a whole.
/// - `answers/`: answers that were not imported yet, as the store gave them.
/// - `kept/`: imported answers, with `--keep`.
package final class PullFolder: Sendable {
  /// The largest state that is read, in bytes.
  private static let stateBytesMax = 64 * 1024
  /// The largest answer, in bytes. The store's have at most 20 signed texts of a few kilobytes.
  package static let answerBytesMax = 16 * 1024 * 1024

  /// How often a lock is tried, and the pause between two attempts in seconds: one second in all.
  private static let lockAttemptsMax = 41
  private static let lockPauseSeconds = 0.025

  package let path: String
  private let keeps: Bool
  private let folder: FolderHandle
  private let states: FolderHandle
  private let answers: FolderHandle
  private let lock: FolderLock

  /// Opens the folder, or makes it if its parent is there.
  ///
  /// - Parameter keeps: Whether imported answers are kept.
  /// - Throws: ``PullError``: `busy` if another pull uses it, `disk`.
  package init(path: String, keeps: Bool) throws(PullError) {
    (self.path, self.keeps) = (path, keeps)
    folder = try Self.made(path)
    lock = try Self.locked(folder, path)
    states = try Self.made("state", in: folder, path)
    answers = try Self.made("answers", in: folder, path)
    try reporting { () throws(FolderError) in try folder.sync() }
  }

  private static func made(_ path: String) throws(PullError) -> FolderHandle {
    do throws(FolderError) { try FolderHandle.make(path: path) } catch {
      // It may be there from an earlier pull.
      guard error.kind == .exists else { throw failure(path, error) }
    }
    do throws(FolderError) { return try FolderHandle(path: path) } catch {
      throw failure(path, error)
    }
  }

  private static func made(
    _ name: String, in folder: borrowing FolderHandle, _ path: String
  ) throws(PullError) -> FolderHandle {
    do throws(FolderError) { return try folder.folderMade(name) } catch {
      throw failure(path, error)
    }
  }

  private static func locked(
    _ folder: borrowing FolderHandle, _ path: String
  ) throws(PullError) -> FolderLock {
    // A process that another program is just starting can hold a copy of its lock for a moment.
    for attempt in 1...lockAttemptsMax {
      do throws(FolderError) {
        if let lock = try folder.lock("lock") { return lock }
      } catch { throw failure(path, error) }
      if attempt < lockAttemptsMax { Thread.sleep(forTimeInterval: lockPauseSeconds) }
    }
    throw PullError(
      .busy, "another pull uses \(path): wait until it ends, or name another --folder.")
  }

  private static func failure(_ path: String, _ error: FolderError) -> PullError {
    PullError(.disk, "the pull folder \(path) cannot be used: \(error)")
  }

  private func reporting<Answer>(
    _ body: () throws(FolderError) -> Answer
  ) throws(PullError) -> Answer {
    do throws(FolderError) { return try body() } catch { throw Self.failure(path, error) }
  }

  // MARK: - States

  package func state(_ name: String) throws(PullError) -> PullState? {
    let bytes = try reporting { () throws(FolderError) in
      try states.contents(of: name + ".json", bytesMax: Self.stateBytesMax)
    }
    return try bytes.map { (bytes) throws(PullError) in
      try PullState(json: bytes, name: "\(path)/state/\(name).json")
    }
  }

  package func save(_ state: PullState, _ name: String) throws(PullError) {
    let json = try state.json()
    try reporting { () throws(FolderError) in
      try Self.write(json, name + ".json", in: states)
    }
  }

  // MARK: - Answers

  /// The file of an answer, below the folder.
  package static func answerName(_ name: String, page: Int) -> String {
    let digits = String(page)
    return name + "." + String(repeating: "0", count: max(6 - digits.count, 0)) + digits + ".json"
  }

  package func answerPath(_ file: String) -> String { "\(path)/answers/\(file)" }

  package func save(answer: [UInt8], as file: String) throws(PullError) {
    try reporting { () throws(FolderError) in try Self.write(answer, file, in: answers) }
  }

  /// An answer that was saved and not imported, or whose import was not noted.
  package func answer(_ file: String) throws(PullError) -> [UInt8]? {
    try reporting { () throws(FolderError) in
      // Most answers are small, and the buffer is as large as what may be read.
      guard let size = try answers.bytes(ofFile: file) else { return nil }
      return try answers.contents(of: file, bytesMax: min(Int(size), Self.answerBytesMax))
    }
  }

  /// Removes an imported answer, or keeps it where it is not imported again.
  package func finish(_ file: String) throws(PullError) {
    try reporting { () throws(FolderError) in
      guard keeps else { return try answers.removeFile(file) }
      let kept = try folder.folderMade("kept")
      try answers.replace(file, in: kept, by: file)
    }
  }

  /// Removes what an earlier pull saved or imported for the pages of a list up to a number.
  package func removeFinished(_ name: String, upTo pages: Int) throws(PullError) {
    let last = Self.answerName(name, page: pages)
    try reporting { () throws(FolderError) in
      for file in try answers.names()
      where file.hasPrefix(name + ".") && file.utf8.count == last.utf8.count && file <= last {
        try answers.removeFile(file)
      }
    }
  }

  /// Writes a file so that its name always means the whole of it, after a loss of power, too.
  private static func write(
    _ bytes: [UInt8], _ name: String, in folder: borrowing FolderHandle
  ) throws(FolderError) {
    let partial = "." + name + ".partial"
    if try folder.kind(of: partial) != nil { try folder.removeFile(partial) }
    let file = try folder.makeFile(partial, isPrivate: true)
    try file.write(bytes.span)
    try file.sync()
    try folder.replace(name, by: partial)
    try folder.sync()
  }
}
