internal import Crypto
internal import Foundation
internal import PackageFiles

/// The file of an export: written under another name in the same folder, named when it is whole.
public struct ExportFile: Sendable {
  private let path: String
  /// Where it is written: hidden, and nobody else's.
  public let partial: String
  private var folder: URL { URL(fileURLWithPath: path).deletingLastPathComponent() }

  /// Makes the hidden file, empty.
  ///
  /// - Throws: ``ExportError``: `file`.
  public init(_ path: String) throws(ExportError) {
    self.path = path
    let name = URL(fileURLWithPath: path).lastPathComponent
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let own = ".\(name).\(ProcessInfo.processInfo.processIdentifier).partial"
    partial = folder.appending(path: own).path
    guard
      FileManager.default.createFile(
        atPath: partial, contents: nil, attributes: [.posixPermissions: 0o600])
    else {
      throw ExportError(
        .file, "Nothing can be written in \(folder.path): name another place for \(name).")
    }
  }

  /// Waits until the disk has what was written.
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

  /// Gives the file its name; whoever looks sees all of it or what was there before.
  ///
  /// - Parameter replacing: Whether a file that is there already goes.
  /// - Throws: ``ExportError``: `exists`, `file`.
  public func publish(replacing: Bool) throws(ExportError) {
    let name = URL(fileURLWithPath: path).lastPathComponent
    let hidden = URL(fileURLWithPath: partial).lastPathComponent
    do throws(FolderError) {
      let folder = try FolderHandle(path: folder.path)
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

  /// What is said where there is a file that is not to be replaced.
  public static func existsMessage(_ path: String) -> String {
    "there is a file \(path) already: name another one, or replace it with --force."
  }

  /// Takes away what has no name yet.
  public func discard() {
    do { try FileManager.default.removeItem(atPath: partial) } catch {
      return  // It was never made, or is gone.
    }
  }
}
