#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The state of a file: its identity, its size and the time of its last change.
struct FileState: Hashable {
  let device: UInt64
  let inode: UInt64
  let bytes: UInt64
  let mode: UInt32
  private let changedSeconds: Int
  private let changedNanoseconds: Int

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    bytes = UInt64(max(0, status.st_size))
    mode = UInt32(status.st_mode)
    // The time of the data and not of the metadata, because a backup or a link may change the
    // latter.
    #if canImport(Darwin)
      changedSeconds = status.st_mtimespec.tv_sec
      changedNanoseconds = status.st_mtimespec.tv_nsec
    #else
      changedSeconds = status.st_mtim.tv_sec
      changedNanoseconds = status.st_mtim.tv_nsec
    #endif
  }

  /// Reads the state of an open file.
  init(descriptor: Int32, path: String) throws(PackageFileError) {
    var status = stat()
    // SAFETY: fstat writes to the structure passed to it.
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw PackageFileError.system("stat", path)
    }
    self.init(status)
  }

  var type: FileType { FileType(mode: mode) }
  var permissions: UInt32 { mode & 0o7777 }
}
