internal import CFolder

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension FolderHandle {
  /// Creates a folder.
  ///
  /// - Parameters:
  ///   - name: A single name.
  ///   - isPrivate: Whether only its owner may look into it, from the first moment.
  /// - Throws: ``FolderError``: `exists`, `denied`, `full`.
  public func makeFolder(_ name: String, isPrivate: Bool = false) throws(FolderError) {
    try refuseUnlessComponent(name, "make")
    let mode = isPrivate ? privateFolderMode : folderMode
    // SAFETY: mkdirat reads the name during the call.
    try retrying("make", name) { unsafe mkdirat(descriptor, name, mode) }
  }

  /// Creates a symbolic link to `target`.
  ///
  /// - Throws: ``FolderError``: `exists`, `denied`, `full`.
  public func makeLink(_ name: String, to target: String) throws(FolderError) {
    try refuseUnlessComponent(name, "link")
    guard !target.isEmpty, !target.utf8.contains(0) else {
      throw FolderError(EINVAL, "link", name)
    }
    // SAFETY: symlinkat reads both texts during the call.
    try retrying("link", name) { unsafe symlinkat(target, descriptor, name) }
  }

  /// Creates another name for a file in this folder, in another folder of the same file system.
  ///
  /// - Throws: ``FolderError``: `exists`, `missing`.
  public func makeHardLink(
    to name: String, in folder: borrowing FolderHandle, as newName: String
  ) throws(FolderError) {
    try refuseUnlessComponent(name, "link")
    try refuseUnlessComponent(newName, "link")
    let (source, target) = (descriptor, folder.descriptor)
    // SAFETY: linkat reads both names during the call. Without a flag it follows no link.
    try retrying("link", newName) { unsafe linkat(source, name, target, newName, 0) }
  }

  /// Renames `name`, replacing whatever has the new name. The replacement is atomic: something has
  /// the new name at all times.
  ///
  /// - Throws: ``FolderError``.
  public func replace(_ newName: String, by name: String) throws(FolderError) {
    try replace(newName, in: self, by: name)
  }

  /// Moves `name` to another folder of the same file system, replacing whatever has the new name.
  /// The replacement is atomic: something has the new name at all times.
  ///
  /// - Throws: ``FolderError``.
  public func replace(
    _ newName: String, in folder: borrowing FolderHandle, by name: String
  ) throws(FolderError) {
    try refuseUnlessComponent(name, "rename")
    try refuseUnlessComponent(newName, "rename")
    let (source, target) = (descriptor, folder.descriptor)
    // SAFETY: renameat reads both names during the call.
    try retrying("rename", newName) { unsafe renameat(source, name, target, newName) }
  }

  /// Moves `name` to another folder of the same file system, where the new name must not exist yet.
  ///
  /// - Throws: ``FolderError``: `exists` or `notEmpty` if something has that name.
  public func move(
    _ name: String, to folder: borrowing FolderHandle, as newName: String
  ) throws(FolderError) {
    try refuseUnlessComponent(name, "move")
    try refuseUnlessComponent(newName, "move")
    let (source, target) = (descriptor, folder.descriptor)
    #if canImport(Glibc)
      do throws(FolderError) {
        // SAFETY: renameat2 reads both names during the call.
        try retrying("move", newName) {
          unsafe renameat2(
            source, name, target, newName, UInt32(DAYBOOK_RENAME_NOREPLACE))
        }
      } catch  where error.kind == .unsupported {
        // Some file systems don't support the flag. Without it, a folder can at most replace an
        // empty folder: rename never replaces a file or a folder with contents by a folder.
        // SAFETY: renameat reads both names during the call.
        try retrying("move", newName) { unsafe renameat(source, name, target, newName) }
      }
    #else
      // SAFETY: renameatx_np reads both names during the call.
      try retrying("move", newName) {
        unsafe renameatx_np(source, name, target, newName, UInt32(RENAME_EXCL))
      }
    #endif
  }

  /// Removes a file or a link.
  ///
  /// - Throws: ``FolderError``: `missing`.
  public func removeFile(_ name: String) throws(FolderError) {
    try refuseUnlessComponent(name, "remove")
    try remove(Array(name.utf8), flags: 0)
  }

  /// Removes an empty folder.
  ///
  /// - Throws: ``FolderError``: `missing`, `notEmpty`.
  public func removeFolder(_ name: String) throws(FolderError) {
    try refuseUnlessComponent(name, "remove")
    try remove(Array(name.utf8), flags: AT_REMOVEDIR)
  }

  private func remove(_ name: [UInt8], flags: Int32) throws(FolderError) {
    try retrying("remove", String(decoding: name, as: UTF8.self)) {
      // SAFETY: unlinkat reads the name during the call.
      unsafe withName(name) { unsafe unlinkat(descriptor, $0, flags) }
    }
  }

  /// Removes the entry with that name and everything in it. Does nothing if there is no such entry.
  ///
  /// Links are removed, not followed.
  ///
  /// - Complexity: O(*n*) in the number of entries. The number of open descriptors grows with the
  ///   depth.
  /// - Throws: ``FolderError``.
  public func removeAll(_ name: String) throws(FolderError) {
    try refuseUnlessComponent(name, "remove")
    try removeAll(Array(name.utf8))
  }

  private func removeAll(_ name: [UInt8]) throws(FolderError) {
    guard let kind = try kind(of: name) else { return }
    guard kind == .folder else { return try remove(name, flags: 0) }
    try folder(name).removeContents()
    try remove(name, flags: AT_REMOVEDIR)
  }

  /// Removes everything in this folder.
  ///
  /// - Complexity: O(*n*) in the number of entries. The number of open descriptors grows with the
  ///   depth.
  /// - Throws: ``FolderError``.
  public func removeContents() throws(FolderError) {
    for name in try nameBytes() { try removeAll(name) }
  }
}
