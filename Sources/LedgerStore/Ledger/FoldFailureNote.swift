#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What made the last fold fail, in a file beside the projections: the process that folds in the
/// background has nobody to report to, and the next one that asks may be another.
struct FoldFailureNote: Sendable {
  private let path: String
  private let folder: String

  /// The name of the file in the projections' folder.
  static let fileName = "fold.failure"

  init(of log: EventLog) {
    folder = Projections.folder(of: log)
    path = "\(folder)/\(Self.fileName)"
  }

  /// What failed; nil where the last fold ended well.
  func message() -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Writes down what failed, where the folder lets it.
  func write(_ message: String) {
    guard Projections.isFolder(folder) else { return }
    _ = FileManager.default.createFile(atPath: path, contents: Data(message.utf8))
  }

  /// Takes the note away after a fold that ended well.
  func remove() {
    guard FileManager.default.fileExists(atPath: path) else { return }
    do { try FileManager.default.removeItem(atPath: path) } catch {
      // A folder that may not be written any more keeps the note; the next fold fails and says why.
      return
    }
  }
}
