import Foundation

/// A folder for the targets whose decoders read files, in memory if the system offers that.
enum Workplace {
  /// The folder, which is made when it is first used.
  static let folder: String = {
    let memory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
    let path = "\(parent)/daybook-fuzz-\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch { say("\(path) cannot be made: \(error)") }
    return path
  }()

  /// Makes an empty folder, in place of what is there.
  static func make(_ name: String) throws -> String {
    let path = "\(folder)/\(name)"
    try remove(path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  /// Removes a file or a folder, if it is there.
  static func remove(_ path: String) throws {
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// Removes everything.
  static func end() {
    do { try remove(folder) } catch { say("left \(folder): \(error)") }
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  static func read(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }
}
