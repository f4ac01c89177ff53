import Foundation
import Testing

/// Golden files that tests generate and compare. `UPDATE_GOLDEN=1 swift test` updates them.
enum Golden {
  static var isUpdating: Bool { ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" }

  /// Compares `text` with the file at `path`, relative to the package's folder, or updates it.
  static func check(_ text: String, _ path: String) throws {
    let file = SharedMaterial.root.appending(path: path)
    if isUpdating {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let there = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(
      there == text, "\(path) is not what the code says: write it anew with UPDATE_GOLDEN=1")
  }
}
