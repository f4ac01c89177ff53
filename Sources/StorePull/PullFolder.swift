import Foundation
import PackageFiles

/// The folder in which a pull keeps its answers and how far it came: never inside of the ledger,
/// whose files belong to LMDB.
///
/// - `lock`: held by the pull that runs.
/// - `state/`: a small file for each list, replaced as a whole, and one that identifies the ledger.
/// - `answers/`: answers that were not imported yet, as the store gave them.
/// - `refused/`: notifications that the ledger refused, one in each file.
/// - `settled/`: those of them that it took later. The store lists some again, and they would be
///   refused again.
/// - `kept/`: imported answers, with `--keep`.
package final class PullFolder: Sendable {
  /// The largest state that is read, in bytes.
  private static let stateBytesMax = 64 * 1024
  /// The largest answer, in bytes. The store's have at most 20 signed texts of a few kilobytes.
  package static let answerBytesMax = 16 * 1024 * 1024

  /// How often a lock is tried, and the pause between two attempts in seconds: one second in all.
  private static let lockAttemptsMax = 41
  private static let lockPauseSeconds = 0.025

  /// The permissions of folders and files: for their owner alone.
  private static let folderMode = 0o700
  private static let fileMode = 0o600
  private static let markName = "ledger.json"
  static let revokedName = "revoked.json"

  package let path: String
  private let keeps: Bool
  private let folder: FolderHandle
  private let states: FolderHandle
  private let answers: FolderHandle
  private let refusals: FolderHandle
  private let settled: FolderHandle
  private let lock: FolderLock

  /// Opens the folder, or makes it if its parent is there.
  ///
  /// - Parameter keeps: Whether imported answers are kept.
  /// - Throws: ``PullError``: `busy` if another pull uses it, `disk`.
  package init(path: String, keeps: Bool) throws(PullError) {
    (self.path, self.keeps) = (path, keeps)
    folder = try Self.made(path)
    lock = try Self.locked(folder, path)
    // Answers have customers' purchases, and may not be read by others.
    try Self.makePrivate(path, Self.folderMode)
    try Self.makePrivate(path + "/lock", Self.fileMode)
    states = try Self.made("state", in: folder, path)
    answers = try Self.made("answers", in: folder, path)
    refusals = try Self.made("refused", in: folder, path)
    settled = try Self.made("settled", in: folder, path)
    if keeps { _ = try Self.made("kept", in: folder, path) }
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
    let made: FolderHandle
    do throws(FolderError) { made = try folder.folderMade(name) } catch {
      throw failure(path + "/" + name, error)
    }
    try makePrivate(path + "/" + name, folderMode)
    return made
  }

  private static func makePrivate(_ path: String, _ mode: Int) throws(PullError) {
    do {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    } catch {
      throw PullError(
        .disk, "the permissions of \(path) cannot be set: \(error.localizedDescription)")
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
    PullError(.disk, "the pull folder \(path) cannot be used: \(error). \(advice(error))")
  }

  private static func advice(_ error: FolderError) -> String {
    switch error.kind {
    case .full: "Make room and pull again: what was pulled is kept."
    case .denied: "Let this user read and write there, or name another --folder."
    default:
      "Look at what is there and remove what no pull has made, or name another --folder."
    }
  }

  private func reporting<Answer>(
    _ body: () throws(FolderError) -> Answer
  ) throws(PullError) -> Answer {
    do throws(FolderError) { return try body() } catch { throw Self.failure(path, error) }
  }

  // MARK: - States

  package func state(_ name: String) throws(PullError) -> PullState? {
    let bytes: [UInt8]?
    do throws(FolderError) {
      bytes = try states.contents(of: name + ".json", bytesMax: Self.stateBytesMax)
    } catch {
      throw PullError(
        .damagedState, "\(path)/state/\(name).json cannot be read: \(error). Remove it.")
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

  // MARK: - The ledger

  /// The event by which the ledger is recognized. It is there and nil if it cannot be read.
  func mark() throws(PullError) -> (isThere: Bool, mark: LedgerMark?) {
    let bytes: [UInt8]
    do throws(FolderError) {
      guard let found = try contents(ofRecord: Self.markName) else { return (false, nil) }
      bytes = found
    } catch {
      throw PullError(
        .disk,
        "\(path)/state/\(Self.markName) cannot be read: \(error). Remove it; and remove the folder "
          + "state if the ledger was replaced or restored since the last pull: all lists are then "
          + "pulled from their beginning, and nothing is doubled.")
    }
    do {
      let mark = try JSONDecoder().decode(LedgerMark.self, from: Data(bytes))
      // No ledger has an event there: the file is damaged.
      return (true, mark.position > 0 ? mark : nil)
    } catch {
      return (true, nil)
    }
  }

  /// Writes the event by which the ledger is recognized, unless it is noted already.
  func note(_ mark: LedgerMark) throws(PullError) {
    guard try self.mark().mark != mark else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json: [UInt8]
    do { json = Array(try encoder.encode(mark)) + [UInt8(ascii: "\n")] } catch {
      throw PullError(.disk, "the ledger's last event cannot be written as JSON.")
    }
    try save(json, record: Self.markName)
  }

  /// A file of `state/` that is about no list.
  func record(_ name: String) throws(PullError) -> [UInt8]? {
    try reporting { () throws(FolderError) in try contents(ofRecord: name) }
  }

  private func contents(ofRecord name: String) throws(FolderError) -> [UInt8]? {
    try states.contents(of: name, bytesMax: Self.stateBytesMax)
  }

  func save(_ bytes: [UInt8], record name: String) throws(PullError) {
    try reporting { () throws(FolderError) in try Self.write(bytes, name, in: states) }
  }

  /// Forgets how far each list was pulled, and answers for the next pages: they are asked
  /// for again. What identifies the ledger goes last, so that a kill on the way changes nothing.
  /// Who was revoked stays revoked, whatever the ledger.
  func beginAgain() throws(PullError) {
    try removeAnswers(from: "")
    try reporting { () throws(FolderError) in
      for name in try settled.namesInUTF8() { try settled.removeFile(name) }
      for name in try states.namesInUTF8() where ![Self.markName, Self.revokedName].contains(name) {
        try states.removeFile(name)
      }
      try states.sync()
      if try states.kind(of: Self.markName) != nil { try states.removeFile(Self.markName) }
      try states.sync()
    }
  }

  // MARK: - Refused notifications

  /// Moves an answer to those that were refused.
  func setAside(_ file: String, as name: String) throws(PullError) {
    try reporting { () throws(FolderError) in
      try answers.replace(name, in: refusals, by: file)
      try refusals.sync()
    }
  }

  func refused() throws(PullError) -> [String] {
    // Another program's file whose name is no UTF-8 is no notification, and holds nothing up.
    try reporting { () throws(FolderError) in try refusals.namesInUTF8() }
  }

  /// Whether a notification was refused and is not imported yet.
  func isRefused(_ name: String) throws(PullError) -> Bool {
    try reporting { () throws(FolderError) in try refusals.kind(of: name) != nil }
  }

  /// Why a file of `refused/` cannot be imported; nil if it can be read.
  func refusedFault(_ name: String) -> String? {
    do throws(FolderError) {
      guard let size = try refusals.bytes(ofFile: name) else { return "it is no file" }
      guard size <= UInt64(Self.answerBytesMax) else {
        return "it has more than \(Self.answerBytesMax) bytes"
      }
      _ = try refusals.contents(of: name, bytesMax: 1)
      return nil
    } catch { return "\(error)" }
  }

  /// Notes a notification as imported, which the ledger knows in words that nobody signed.
  func settle(_ entry: [UInt8], as name: String) throws(PullError) {
    try reporting { () throws(FolderError) in try Self.write(entry, name, in: settled) }
  }

  /// Notes that what was refused once is imported now.
  func settle(_ name: String) throws(PullError) {
    try reporting { () throws(FolderError) in try refusals.replace(name, in: settled, by: name) }
  }

  func isSettled(_ name: String) throws(PullError) -> Bool {
    try reporting { () throws(FolderError) in try settled.kind(of: name) != nil }
  }

  // MARK: - Answers

  /// The answers whose names begin with a prefix, which were not imported.
  func answers(from prefix: String) throws(PullError) -> [String] {
    try reporting { () throws(FolderError) in
      // Another program's file whose name is no UTF-8 is no answer.
      try answers.namesInUTF8().filter { $0.hasPrefix(prefix) }
    }
  }

  func removeAnswer(_ file: String) throws(PullError) {
    try reporting { () throws(FolderError) in try answers.removeFile(file) }
  }

  func removeAnswers(from prefix: String) throws(PullError) {
    for file in try answers(from: prefix) { try removeAnswer(file) }
  }

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

  /// Removes an imported answer, or keeps it where it is not imported again. If pages are counted
  /// from one again, those of before stay: the later one's name gets a number.
  package func finish(_ file: String) throws(PullError) {
    try reporting { () throws(FolderError) in
      guard keeps else { return try answers.removeFile(file) }
      let kept = try folder.folderMade("kept")
      var (name, number) = (file, 1)
      while try kept.kind(of: name) != nil {
        number += 1
        name = "\(file).\(number)"
      }
      try answers.replace(name, in: kept, by: file)
    }
  }

  /// Removes what an earlier pull saved or imported for the pages of a list up to a number.
  package func removeFinished(_ name: String, upTo pages: Int) throws(PullError) {
    let last = Self.answerName(name, page: pages)
    try reporting { () throws(FolderError) in
      for file in try answers.namesInUTF8()
      where file.hasPrefix(name + ".") && file.utf8.count == last.utf8.count && file <= last {
        try answers.removeFile(file)
      }
    }
  }

  /// Puts an answer that the import refused twice beside the others, in place of an earlier one,
  /// so that its page is asked for again.
  func putAside(_ file: String) throws(PullError) {
    try reporting { () throws(FolderError) in
      try answers.replace(file + Self.asideSuffix, by: file)
      try answers.sync()
    }
  }

  /// Removes the refused answer of a page that was imported since.
  func removeAside(_ file: String) throws(PullError) {
    try reporting { () throws(FolderError) in
      let aside = file + Self.asideSuffix
      if try answers.kind(of: aside) != nil { try answers.removeFile(aside) }
    }
  }

  /// Ends the name of an answer that was refused, and was asked for again since.
  static let asideSuffix = ".refused"

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
