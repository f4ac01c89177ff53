#if canImport(Glibc)
  internal import CLMDB
  internal import Glibc

  /// The `f_type` of file systems on which mappings or locks do not work between machines:
  /// `statfs(2)` and `linux/magic.h`.
  private let networkFileSystems: [UInt32: String] = [
    0x6969: "NFS", 0x517B: "SMB", 0xFE53_4D42: "SMB2", 0xFF53_4D42: "CIFS", 0x0102_1997: "9P",
    0x00C3_6400: "Ceph", 0x5346_414F: "AFS", 0x6B41_4653: "AFS", 0x7375_7245: "Coda",
    0x0BD0_0BD0: "Lustre", 0x4750_4653: "GPFS", 0x0116_1970: "GFS2", 0x7461_636F: "OCFS2",
    0x2003_0528: "OrangeFS", 0x564C: "NCP",
  ]

  /// Rejects a folder on a network file system, where LMDB loses data.
  func refuseNetworkFileSystem(_ path: String) throws(LMDBError) {
    var status = statfs()
    // SAFETY: statfs fills the structure it is given and reads the path during the call.
    guard unsafe statfs(path, &status) == 0 else { throw systemFailure("open", path) }
    guard let name = networkFileSystems[UInt32(truncatingIfNeeded: status.f_type)] else { return }
    throw LMDBError(
      .networkFileSystem, operation: "open",
      message: "\(path) is on a network file system (\(name)): LMDB needs a local one.")
  }
#else
  internal import Darwin

  /// Rejects a folder on a network file system, where LMDB loses data.
  func refuseNetworkFileSystem(_ path: String) throws(LMDBError) {
    var status = statfs()
    // SAFETY: statfs fills the structure it is given and reads the path during the call.
    guard unsafe statfs(path, &status) == 0 else { throw systemFailure("open", path) }
    guard status.f_flags & UInt32(MNT_LOCAL) == 0 else { return }
    throw LMDBError(
      .networkFileSystem, operation: "open",
      message: "\(path) is on a network file system: LMDB needs a local one.")
  }
#endif

/// Whether a process with the id `process` exists in this pid namespace.
package func isRunning(process: Int32) -> Bool { kill(process, 0) == 0 || errno != ESRCH }

/// The free space below which a disk counts as full, in bytes: a write that was cut short for lack
/// of space has taken what there was.
private let fullDiskBytes: UInt64 = 1 << 20

/// Whether the disk of `path` has no room for unprivileged users.
func isDiskFull(_ path: String) -> Bool {
  var status = statvfs()
  // SAFETY: statvfs fills the structure it is given and reads the path during the call.
  guard unsafe statvfs(path, &status) == 0 else { return false }
  return UInt64(status.f_bavail) * UInt64(status.f_frsize) < fullDiskBytes
}

/// Makes the names in the folder `path` durable.
package func syncFolder(_ path: String) throws(LMDBError) {
  // SAFETY: open reads the path during the call.
  let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard folder >= 0 else { throw systemFailure("sync", path) }
  defer { close(folder) }
  guard fsync(folder) == 0 else { throw systemFailure("sync", path) }
}

/// Makes the contents of the file `path` durable.
package func syncFile(_ path: String) throws(LMDBError) {
  // SAFETY: open reads the path during the call.
  let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw systemFailure("sync", path) }
  defer { close(file) }
  guard fsync(file) == 0 else { throw systemFailure("sync", path) }
}

/// Creates the folder `path`, with permissions only for its owner unless `mode` says otherwise.
package func makeFolder(_ path: String, mode: UInt32 = 0o700) throws(LMDBError) {
  // SAFETY: mkdir reads the path during the call.
  guard unsafe mkdir(path, mode_t(mode)) == 0 else { throw systemFailure("create folder", path) }
}

/// Renames the folder `path` durably. The new name must be in the same parent folder, and be free
/// or that of an empty folder.
package func renameFolder(
  _ path: String, to name: String, in parent: String
) throws(LMDBError) {
  // SAFETY: rename reads the paths during the call.
  guard unsafe rename(path, name) == 0 else { throw systemFailure("rename", name) }
  try syncFolder(parent)
}

/// Gives the file `partial` the name `path` durably, and replaces the file that has it. Both are in
/// `folder`. Whoever opens `path` finds one of the two files whole.
package func replaceFile(
  _ path: String, by partial: String, in folder: String
) throws(LMDBError) {
  // SAFETY: rename reads the paths during the call.
  guard unsafe rename(partial, path) == 0 else { throw systemFailure("replace", path) }
  try syncFolder(folder)
}

/// Whether two paths lead to the same file or folder; false if there is nothing at one of them.
package func isSameFile(_ path: String, _ other: String) throws(LMDBError) -> Bool {
  guard let one = try identity(of: path), let two = try identity(of: other) else { return false }
  return one == two
}

/// Whether there is something at `path`. Unlike Foundation, this tells a file that is not there
/// from one that the system does not let this process look at.
package func isThere(_ path: String) throws(LMDBError) -> Bool { try identity(of: path) != nil }

/// The identity of what `path` leads to; nil if there is nothing.
func identity(of path: String) throws(LMDBError) -> FileIdentity? {
  var status = stat()
  // SAFETY: stat fills the structure it is given and reads the path during the call.
  guard unsafe stat(path, &status) == 0 else {
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw systemFailure("look at", path)
  }
  return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
}

/// Changes the permissions of the file `path`.
package func setRights(of path: String, to mode: UInt32) throws(LMDBError) {
  // SAFETY: chmod reads the path during the call.
  guard unsafe chmod(path, mode_t(mode)) == 0 else { throw systemFailure("change rights of", path) }
}
