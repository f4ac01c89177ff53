import Foundation

/// A file that is open, and whether its path still leads to it.
///
/// Whoever moves a folder takes along the files that a process has open in it: the process goes on
/// with them, and others find what is in their place.
struct WatchedFile: Sendable {
  private struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  private enum Found: Equatable {
    case file(Identity)
    case nothing
    /// It cannot be looked at, for example because too many files are open.
    case unknown
  }

  let path: String
  private let opened: Found

  /// - Parameter path: Where the file is that was opened.
  init(_ path: String) {
    self.path = path
    opened = Self.find(path)
  }

  /// Whether the path leads to nothing or to another file.
  ///
  /// - Complexity: O(1), one question to the file system.
  var isElsewhere: Bool {
    guard case .file = opened else { return false }
    let found = Self.find(path)
    return found != opened && found != .unknown
  }

  private static func find(_ path: String) -> Found {
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      guard let device = attributes[.systemNumber] as? UInt64,
        let inode = attributes[.systemFileNumber] as? UInt64
      else { return .unknown }
      return .file(Identity(device: device, inode: inode))
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return .nothing
    } catch {
      return .unknown
    }
  }
}
