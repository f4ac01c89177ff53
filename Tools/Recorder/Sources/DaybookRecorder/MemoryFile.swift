import Foundation

/// What a recorder remembers from launch to launch, in a file beside the spool: names of payments,
/// and what was recorded of subscriptions. If it is lost, events lack the payment's name, or a
/// status is recorded twice; no event is lost. So it never keeps one from being recorded.
struct MemoryFile: Sendable {
  private let folder: String
  private let files: any SpoolFiles

  init(_ spool: Spool) {
    folder = spool.folder
    files = spool.files
  }

  /// What was remembered; nothing if the file is missing or damaged, and nil if the disk does not
  /// read it now: then it must not be replaced.
  func read() -> EventMapping.Memory? {
    let bytes: [UInt8]
    do throws(FileError) {
      guard try files.names(in: folder).contains(Self.name) else { return EventMapping.Memory() }
      let file = try files.open(folder + "/" + Self.name)
      // A larger one is damaged, and is replaced.
      guard try file.size() <= Spool.fileBytesMax else { return EventMapping.Memory() }
      bytes = try file.read(at: 0, count: try file.size())
    } catch {
      return nil
    }
    do {
      return try JSONDecoder().decode(EventMapping.Memory.self, from: Data(bytes))
    } catch {
      return EventMapping.Memory()
    }
  }

  /// The file of what is remembered; nil if it cannot be written as JSON.
  static func bytes(of memory: EventMapping.Memory) -> [UInt8]? {
    do {
      let encoder = JSONEncoder()
      // Equal memories have equal bytes.
      encoder.outputFormatting = .sortedKeys
      return [UInt8](try encoder.encode(memory))
    } catch {
      return nil
    }
  }

  /// Replaces the file. Returns whether it is on the disk; the next call tries again if not.
  func write(_ bytes: [UInt8]) -> Bool {
    let path = folder + "/" + Self.name
    do {
      // A reader finds the old file or the new one, never a part.
      let file = try files.open(path + ".new")
      try file.truncate(to: 0)
      try file.write(bytes, at: 0)
      try file.sync()
      try files.rename(path + ".new", to: path)
      try files.syncFolder(folder)
      return true
    } catch {
      return false
    }
  }

  private static let name = "memory.json"
}
