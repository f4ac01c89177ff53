internal import CLMDB

extension Environment {
  /// How long a remap waits for the transactions of other threads to end.
  private static let patienceMicroseconds = 1_000_000

  /// Enlarges the map to `mapSize` bytes, once no transaction of this process is active.
  ///
  /// - Throws: ``LMDBError``: `transactionsOpen` if transactions stay active for a second,
  ///   `badArgument` if `mapSize` is less than the current size.
  public func grow(mapSize: Int) throws(LMDBError) {
    let current = try info().mapSize
    guard mapSize >= current else {
      throw LMDBError(
        .badArgument, operation: "grow",
        message: "A map of \(current) bytes does not shrink to \(mapSize).")
    }
    try remap(mapSize, "grow")
  }

  /// Adopts the size that another process gave the file.
  func followResize() throws(LMDBError) {
    do throws(LMDBError) { try remap(0, "follow resize") } catch {
      guard error.code == .transactionsOpen else { throw error }
      throw LMDBError(.mapResized, operation: "follow resize")
    }
  }

  private func remap(_ mapSize: Int, _ operation: StaticString) throws(LMDBError) {
    try unsafe withHandleAlone(operation, patienceMicroseconds: Self.patienceMicroseconds) {
      (handle) throws(LMDBError) in
      // SAFETY: the gate is shut and empty, so nothing in this process uses the old map.
      let status = unsafe mdb_env_set_mapsize(handle, mapSize)
      guard status == 0 else { throw LMDBError(status: status, operation: "\(operation)") }
    }
  }
}
