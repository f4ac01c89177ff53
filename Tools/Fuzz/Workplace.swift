import Foundation

/// A folder for the targets whose decoders read files, in memory if the system offers that.
enum Workplace {
  /// The folder, which is made when it is first used.
  static let folder: String = {
    let memory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
    removeLeftovers(in: parent)
    let path = "\(parent)/\(prefix)\(ProcessInfo.processInfo.processIdentifier)"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch { say("\(path) cannot be made: \(error)") }
    return path
  }()

  private static let prefix = "daybook-fuzz-"

  /// Removes what runs that ended with a signal left behind.
  private static func removeLeftovers(in parent: String) {
    let names = Result { try FileManager.default.contentsOfDirectory(atPath: parent) }
    guard case .success(let names) = names else { return }
    for name in names where name.hasPrefix(prefix) {
      guard let process = Int32(name.dropFirst(prefix.count)), kill(process, 0) != 0 else {
        continue
      }
      do { try remove("\(parent)/\(name)") } catch { say("left \(parent)/\(name): \(error)") }
    }
  }

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
