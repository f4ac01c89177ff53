internal import Crypto
internal import Foundation
internal import PackageFiles

/// The file of an export. It is written under another name in the same folder, and gets its name
/// when it is complete.
///
/// A link stays a link, and the file to which it leads is written. A device or a pipe gets
/// everything at the end, and is never replaced.
public struct ExportFile: Sendable {
  /// The path as it was given, for people.
  private let path: String
  /// The path to which it leads.
  private let target: URL
  private let isStream: Bool
  private var isStandardOutput: Bool { path == Self.standardOutput }
  /// The hidden file to which it is written, which only its owner may read.
  public let partial: String
  private let lock: PartialLock?

  /// The lock of the hidden file, held for as long as the export is made.
  private final class PartialLock: Sendable {
    private let lock: FolderLock

    init(_ lock: consuming FolderLock) { self.lock = lock }
  }

  /// The path that stands for standard output.
  public static let standardOutput = "-"

  /// Creates the hidden file, empty.
  ///
  /// - Throws: ``ExportError``: `cannotCreate`.
  public init(_ path: String) throws(ExportError) {
    self.path = path
    let status = path == Self.standardOutput ? nil : try Self.status(path)
    isStream = path == Self.standardOutput || status?.kind == .stream
    var target = URL(fileURLWithPath: path)
    if status?.kind == .file { target = target.resolvingSymlinksInPath() }
    self.target = target
    let folder =
      isStream ? FileManager.default.temporaryDirectory : target.deletingLastPathComponent()
    let name = Self.hiddenName(for: target.lastPathComponent)
    partial = folder.appending(path: name).path
    do throws(FolderError) {
      let opened = try FolderHandle(path: folder.path)
      Self.removeAbandoned(in: opened)
      do throws(FolderError) {
        try opened.makeFile(name, isPrivate: true).finish()
      } catch  where error.kind == .exists {
        // It was left by a killed process that had this one's number.
        try opened.removeFile(name)
        try opened.makeFile(name, isPrivate: true).finish()
      }
      if let taken = try opened.lock(name) { lock = PartialLock(taken) } else { lock = nil }
    } catch {
      throw ExportError(
        .cannotCreate,
        "\(path) cannot be made: \(folder.path): \(error.reason); name a file in a folder that you "
          + "may write.")
    }
  }

  /// Returns the status of the file at a path; `nil` if there is none.
  private static func status(_ path: String) throws(ExportError) -> PathStatus? {
    let status: PathStatus?
    do throws(FolderError) { status = try PathStatus(path) } catch {
      throw ExportError(.cannotCreate, "\(path) cannot be made: \(error.reason).")
    }
    switch status?.kind {
    case nil, .file, .stream: return status
    case .folder: throw ExportError(.cannotCreate, "\(path) is a folder: name a file in it.")
    case .other: throw ExportError(.cannotCreate, "\(path) is no file: name another one.")
    }
  }

  private static func hiddenName(for name: String) -> String {
    let end = ".\(ProcessInfo.processInfo.processIdentifier)\(partialEnd)"
    var shown = name
    while shown.utf8.count + end.utf8.count + 1 > nameBytesMax { shown.removeLast() }
    return ".\(shown)\(end)"
  }

  /// The end of a hidden file's name, after the number of the process that writes it.
  private static let partialEnd = ".daybook.partial"

  /// Removes what killed processes have left, because it contains names that an erasure does not
  /// reach.
  ///
  /// A process in another pid namespace may be running under a number that is unused here, so the
  /// lock is checked, too. What this process may not read or remove stays.
  private static func removeAbandoned(in folder: borrowing FolderHandle) {
    let names: [String]
    do throws(FolderError) { names = try folder.names() } catch { return }
    for name in names {
      guard let match = name.wholeMatch(of: /\..*\.(\d+)\.daybook\.partial/),
        let maker = Int32(match.1), kill(maker, 0) != 0, errno == ESRCH
      else { continue }
      do throws(FolderError) {
        if try folder.lock(name) != nil { try folder.removeFile(name) }
      } catch { continue }
    }
  }

  /// Waits until what was written is on disk.
  ///
  /// - Throws: ``ExportError``: `file`.
  public func synchronize() throws(ExportError) {
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: partial))
      try handle.synchronize()
      try handle.close()
    } catch {
      throw ExportError(
        .file, "\(partial) cannot be synchronized: \(error.localizedDescription)")
    }
  }

  /// The size of the file and its SHA-256.
  func measure() throws(ExportError) -> (bytes: Int, digest: String) {
    var hash = SHA256()
    var bytes = 0
    let pieces = try FilePieces(partial)
    while true {
      let piece = try pieces.next()
      if piece.isEmpty { break }
      hash.update(data: piece)
      bytes += piece.count
    }
    let digits = hash.finalize().map { byte in
      let text = String(byte, radix: 16)
      return byte < 16 ? "0" + text : text
    }
    return (bytes, digits.joined())
  }

  /// Gives the file its name. Readers see either the complete file or what was there before.
  ///
  /// - Parameter replacing: Whether to replace an existing file.
  /// - Throws: ``ExportError``: `exists`, `file`.
  public func publish(replacing: Bool) throws(ExportError) {
    if isStream {
      try writeThrough()
      return discard()
    }
    let name = target.lastPathComponent
    let hidden = URL(fileURLWithPath: partial).lastPathComponent
    do throws(FolderError) {
      let folder = try FolderHandle(path: target.deletingLastPathComponent().path)
      if replacing {
        try folder.replace(name, by: hidden)
      } else {
        try folder.move(hidden, to: folder, as: name)
      }
      try folder.sync()
    } catch {
      if error.kind == .exists { throw ExportError(.exists, Self.existsMessage(path)) }
      throw ExportError(.file, "\(path) cannot be made: \(error.reason)")
    }
  }

  /// Writes everything to the device or pipe.
  private func writeThrough() throws(ExportError) {
    let pieces = try FilePieces(partial)
    if isStandardOutput { return try writeToStandardOutput(pieces) }
    do {
      // This neither creates nor truncates a file.
      let handle = try FileHandle(forWritingTo: target)
      while true {
        let piece = try pieces.next()
        if piece.isEmpty { break }
        try handle.write(contentsOf: Data(piece))
      }
      try handle.close()
    } catch let error as ExportError {
      throw error
    } catch {
      throw ExportError(.file, "\(path) cannot be written: \(error.localizedDescription)")
    }
  }

  private func writeToStandardOutput(_ pieces: FilePieces) throws(ExportError) {
    while true {
      let piece = try pieces.next()
      if piece.isEmpty { return }
      do throws(FolderError) { try StandardOutput.write(piece.span) } catch {
        // In `daybook export - --format csv | head`, `head` has everything that it wanted.
        if error.kind == .readerGone { return }
        throw ExportError(.file, "Standard output cannot be written: \(error.reason).")
      }
    }
  }

  /// The error for an existing file that may not be replaced.
  public static func existsMessage(_ path: String) -> String {
    "there is a file \(path) already: name another one, or replace it with --force."
  }

  /// Removes the hidden file.
  public func discard() {
    do { try FileManager.default.removeItem(atPath: partial) } catch {
      return  // It was never made, or no longer exists.
    }
  }
}
