internal import Foundation
internal import LedgerEvents
internal import PackageFiles

/// A folder of installed content: `ROOT/<product>/<version>/`, and in each product's folder the
/// link `current` to the version in use.
///
/// All work goes through the open folder, so nothing is written outside it. A process that changes
/// something holds its lock, and has first completed or undone interrupted changes.
public struct ContentRoot: ~Copyable {
  /// The path as passed by the caller.
  public let path: String
  let folder: FolderHandle
  private let lock: FolderLock?

  static let lockName = "lock"
  static let ownerName = "owner"
  static let attemptsName = "attempts"
  /// The maximum length of the line that records the owner, in bytes: two names of an event.
  private static let ownerBytesMax = 8_192

  /// Opens a folder for reading, without a lock. Writes nothing.
  ///
  /// - Throws: ``ContentError``: `missing` if there is no such folder.
  public init(reading path: String) throws(ContentError) {
    self.path = path
    folder = try Self.open(path)
    lock = nil
  }

  /// Opens a folder for a change. Takes its lock, and checks that it belongs to the owner.
  ///
  /// - Parameter makes: Whether to create it if it is missing. Its parent must exist.
  /// - Throws: ``ContentError``: `busy` if another process has the lock, `refused` if the folder
  ///   belongs to another owner.
  static func changing(
    _ path: String, for owner: ContentOwner, makes: Bool
  ) throws(ContentError) -> ContentRoot {
    if makes { try make(path) }
    let opened = try open(path)
    let location = path + "/" + ContentName.workArea
    let area = try telling(path) { () throws(FolderError) in
      try opened.folderMade(ContentName.workArea)
    }
    guard
      let held = try telling(location, { () throws(FolderError) in try area.lock(lockName) })
    else {
      throw ContentError(
        .busy, path: path,
        "another process is changing this folder: wait until it has finished, then try again.")
    }
    try telling(location) { () throws(FolderError) in
      try opened.sync()
      _ = try area.folderMade(attemptsName)
    }
    let root = ContentRoot(path: path, folder: opened, lock: held)
    try root.claim(for: owner)
    return root
  }

  private init(path: String, folder: consuming FolderHandle, lock: consuming FolderLock?) {
    self.path = path
    self.folder = folder
    self.lock = lock
  }

  /// Returns the work area; nil if the folder has never been changed.
  func work() throws(ContentError) -> FolderHandle? {
    do throws(FolderError) {
      return try folder.folder(ContentName.workArea)
    } catch  where error.kind == .missing {
      return nil
    } catch {
      throw ContentError(error, at: path)
    }
  }

  private static func open(_ path: String) throws(ContentError) -> FolderHandle {
    do throws(FolderError) {
      return try FolderHandle(path: path)
    } catch  where error.kind == .missing {
      throw ContentError(
        .missing, path: path, "there is no such folder: install something into it first.")
    } catch {
      throw ContentError(error, at: path)
    }
  }

  private static func make(_ path: String) throws(ContentError) {
    do throws(FolderError) {
      try FolderHandle.make(path: path)
      let parent = URL(filePath: path).standardizedFileURL.deletingLastPathComponent().path
      try FolderHandle(path: parent).sync()
    } catch  where error.kind == .exists {
      // If there is a file instead, opening it reports that.
      return
    } catch  where error.kind == .missing {
      throw ContentError(
        .missing, path: path, "its parent folder does not exist: create that first.")
    } catch {
      throw ContentError(
        .inputOutput, path: path, "the folder cannot be created: \(error.reason).")
    }
  }
}

// MARK: - The owner

extension ContentRoot {
  /// Returns the owner of the folder; nil if the folder has never been changed.
  ///
  /// - Throws: ``ContentError``.
  public func owner() throws(ContentError) -> ContentOwner? {
    guard let work = try work() else { return nil }
    return try Self.owner(in: work, path)
  }

  private static func owner(
    in work: borrowing FolderHandle, _ path: String
  ) throws(ContentError) -> ContentOwner? {
    let location = path + "/" + ContentName.workArea
    let line: [UInt8]?
    do throws(FolderError) {
      line = try work.contents(of: ownerName, bytesMax: ownerBytesMax)
    } catch {
      throw ContentError(error, at: location)
    }
    guard let line else { return nil }
    guard let owner = ContentOwner(line: line) else {
      throw ContentError(
        .malformed, path: location + "/" + ownerName,
        "it does not state the owner of the folder: remove the file, then name the right owner.")
    }
    return owner
  }

  /// Records the owner of the folder. Throws if the folder has another owner, because its content
  /// would otherwise be reported for the wrong customer.
  private func claim(for owner: ContentOwner) throws(ContentError) {
    guard let work = try work() else { return }
    if let known = try Self.owner(in: work, path) {
      guard known == owner else {
        throw ContentError(
          .refused, path: path,
          "this folder belongs to account \(known.account.text) on device \(known.device.text), "
            + "not to account \(owner.account.text) on device \(owner.device.text): each device of "
            + "an account has its own folder. Use that account and device, or another folder.")
      }
      return
    }
    let location = path + "/" + ContentName.workArea
    let fresh = Self.ownerName + ".new"
    try telling(location) { () throws(FolderError) in
      try work.removeAll(fresh)
      let file = try work.makeFile(fresh)
      try file.write(owner.line.span)
      try file.sync()
      try file.finish()
      try work.replace(Self.ownerName, by: fresh)
      try work.sync()
    }
  }
}
