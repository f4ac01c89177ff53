#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the spool needs of a file system. ``SystemFiles`` is the real one; tests pass others, which
/// fail, or forget what was not synced.
public protocol SpoolFiles: Sendable {
  /// Creates a folder and those above it; does nothing if it is there.
  func makeFolder(_ path: String) throws(FileError)
  /// The names of the files in a folder.
  func names(in folder: String) throws(FileError) -> [String]
  /// Opens a file to read and write, and creates it if it is missing.
  func open(_ path: String) throws(FileError) -> any SpoolFile
  func remove(_ path: String) throws(FileError)
  /// Puts a file in the position of another, at once.
  func rename(_ path: String, to other: String) throws(FileError)
  /// Makes the names in a folder last: a file that was created is there after a power cut.
  func syncFolder(_ path: String) throws(FileError)
  /// Opens a file and locks it, until the file is released. Throws ``FileError/isLocked`` if
  /// another process, or another spool in this one, holds the lock.
  func lock(_ path: String) throws(FileError) -> any SpoolFile
}

/// An open file. It is closed when it is released.
public protocol SpoolFile: AnyObject, Sendable {
  func size() throws(FileError) -> Int
  /// Up to `count` bytes from `offset`; fewer at the end of the file.
  func read(at offset: Int, count: Int) throws(FileError) -> [UInt8]
  /// Writes all bytes, or throws.
  func write(_ bytes: [UInt8], at offset: Int) throws(FileError)
  func truncate(to size: Int) throws(FileError)
  /// Returns when what was written is on the disk, and not in its cache.
  func sync() throws(FileError)
}

extension SpoolFile {
  /// The whole file.
  ///
  /// - Throws: ``FileError`` if it has more than `bytesMax` bytes, too: the disk damaged it, or
  ///   somebody else wrote it, and an app that reads it would end at each launch.
  func whole(_ path: String, bytesMax: Int) throws(FileError) -> [UInt8] {
    let size = try size()
    guard size <= bytesMax else { throw FileError(call: "read", path: path, code: EFBIG) }
    return try read(at: 0, count: size)
  }
}

/// A call to the file system that failed.
public struct FileError: Error, Equatable, CustomStringConvertible {
  public var call: String
  public var path: String
  /// `errno`.
  public var code: Int32
  /// Whether the file is locked by somebody else.
  public var isLocked: Bool

  public init(call: String, path: String, code: Int32, isLocked: Bool = false) {
    self.call = call
    self.path = path
    self.code = code
    self.isLocked = isLocked
  }

  public var description: String { "\(path): \(call) failed with errno \(code)" }
}
