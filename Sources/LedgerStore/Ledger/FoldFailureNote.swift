#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The reason why the last fold failed, in a file beside the projections. A process that folds in
/// the background has nobody to report to, and another process may be the next to ask.
struct FoldFailureNote: Sendable {
  private let path: String
  private let folder: String

  /// The name of the file in the projections' folder.
  static let fileName = "fold.failure"

  init(of log: EventLog) {
    folder = Projections.folder(of: log)
    path = "\(folder)/\(Self.fileName)"
  }

  /// The reason why the last fold failed; `nil` if the last fold succeeded.
  func message() -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Writes down the reason, if the folder permits it.
  func write(_ message: String) {
    guard Projections.isFolder(folder) else { return }
    _ = FileManager.default.createFile(atPath: path, contents: Data(message.utf8))
  }

  /// Removes the note after a fold that succeeded.
  func remove() {
    guard FileManager.default.fileExists(atPath: path) else { return }
    do { try FileManager.default.removeItem(atPath: path) } catch {
      // If the folder is no longer writable, the note stays. The next fold fails and says why.
      return
    }
  }
}
