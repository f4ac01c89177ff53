import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file system of the device.
public struct SystemFiles: SpoolFiles {
  public init() {}

  public func makeFolder(_ path: String) throws(FileError) {
    let changed = Self.parents(of: path) { FileManager.default.fileExists(atPath: $0) }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw FileError(call: "mkdir", path: path, code: Self.code(of: error))
    }
    for folder in changed { try syncFolder(folder) }
    #if canImport(Darwin)
      Self.protect(path)
    #endif
  }

  /// The folders that get a new name when a folder is made: its parent, and those above it up to
  /// the first that was there. None if the folder is there.
  static func parents(of path: String, exists: (String) -> Bool) -> [String] {
    var found: [String] = []
    var folder = path
    while !exists(folder) {
      let parent = Spool.parent(of: folder)
      guard parent != folder else { break }
      folder = parent
      found.append(folder)
    }
    return found
  }

  #if canImport(Darwin)
    /// Readable from the first unlock on, also while the device is locked again, because a purchase
    /// can arrive then; and in no backup: another device would upload the same events as its own.
    private static func protect(_ path: String) {
      do {
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        var url = URL(fileURLWithPath: path, isDirectory: true)
        try url.setResourceValues(values)
        try FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
          ofItemAtPath: path)
      } catch {
        // A volume without these attributes takes the events all the same.
        return
      }
    }
  #endif

  public func names(in folder: String) throws(FileError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw FileError(call: "readdir", path: folder, code: Self.code(of: error))
    }
  }

  public func open(_ path: String) throws(FileError) -> any SpoolFile {
    try SystemFile(path, flags: O_RDWR | O_CREAT)
  }

  public func remove(_ path: String) throws(FileError) {
    if unlink(path) != 0, errno != ENOENT {
      throw FileError(call: "unlink", path: path, code: errno)
    }
  }

  public func rename(_ path: String, to other: String) throws(FileError) {
    #if canImport(Darwin)
      let result = Darwin.rename(path, other)
    #elseif canImport(Glibc)
      let result = Glibc.rename(path, other)
    #else
      let result = Musl.rename(path, other)
    #endif
    if result != 0 { throw FileError(call: "rename", path: path, code: errno) }
  }

  public func syncFolder(_ path: String) throws(FileError) {
    try SystemFile(path, flags: O_RDONLY).sync()
  }

  public func lock(_ path: String) throws(FileError) -> any SpoolFile {
    let file = try SystemFile(path, flags: O_RDWR | O_CREAT)
    try file.lock()
    return file
  }

  /// Foundation wraps what the system said.
  private static func code(of error: any Error) -> Int32 {
    let outer = error as NSError
    let inner = outer.userInfo[NSUnderlyingErrorKey] as? NSError ?? outer
    return Int32(clamping: inner.code)
  }
}

/// A file by its descriptor.
private final class SystemFile: SpoolFile {
  private let descriptor: Int32
  private let path: String

  init(_ path: String, flags: Int32) throws(FileError) {
    self.path = path
    // Nobody else on the device may read it, and no child process gets it.
    descriptor = open(path, flags | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw FileError(call: "open", path: path, code: errno) }
  }

  deinit { close(descriptor) }

  func size() throws(FileError) -> Int {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw failure("fstat") }
    return Int(status.st_size)
  }

  func read(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var part = [UInt8](repeating: 0, count: count - bytes.count)
      let found = pread(descriptor, &part, part.count, off_t(offset + bytes.count))
      if found < 0 {
        if errno == EINTR { continue }
        throw failure("pread")
      }
      if found == 0 { break }
      bytes += part.prefix(found)
    }
    return bytes
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let rest = written == 0 ? bytes : Array(bytes[written...])
      let count = pwrite(descriptor, rest, rest.count, off_t(offset + written))
      if count < 0 {
        if errno == EINTR { continue }
        throw failure("pwrite")
      }
      // A write of nothing would be repeated for ever.
      if count == 0 { throw FileError(call: "pwrite", path: path, code: EIO) }
      written += count
    }
  }

  func truncate(to size: Int) throws(FileError) {
    if ftruncate(descriptor, off_t(size)) != 0 { throw failure("ftruncate") }
  }

  func sync() throws(FileError) {
    #if canImport(Darwin)
      // On Apple's systems, fsync leaves the bytes in the disk's cache (fcntl(2), F_FULLFSYNC).
      // Some file systems know only fsync.
      while fcntl(descriptor, F_FULLFSYNC) != 0 {
        switch errno {
        case EINTR: continue
        case ENOTSUP, EINVAL, ENOTTY: return try syncToCache()
        default: throw failure("F_FULLFSYNC")
        }
      }
    #else
      try syncToCache()
    #endif
  }

  private func syncToCache() throws(FileError) {
    while fsync(descriptor) != 0 {
      if errno != EINTR { throw failure("fsync") }
    }
  }

  func lock() throws(FileError) {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      throw FileError(call: "flock", path: path, code: errno, isLocked: errno == EWOULDBLOCK)
    }
  }

  private func failure(_ call: String) -> FileError {
    FileError(call: call, path: path, code: errno)
  }
}
