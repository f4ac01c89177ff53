internal import CLMDB

extension Environment {
  /// The version of LMDB that this process uses, such as `0.9.24`.
  public static var libraryVersion: String {
    var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
    // SAFETY: LMDB sets the three numbers during the call; the text that it returns is not used.
    _ = unsafe mdb_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }
}
