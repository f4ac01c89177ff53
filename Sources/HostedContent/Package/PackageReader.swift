/// Reads a content package once, from front to back: a folder, a xar (`.pkg`) or a zip.
///
/// Validation, the digest and the copy of an install are all made in one such pass.
public protocol PackageReader: ~Copyable {
  /// The next entry, or nil behind the last. Data of the entry before that was not read is skipped.
  ///
  /// - Throws: ``ContentError`` where the container is broken or cannot be read.
  mutating func next() throws(ContentError) -> PackageEntry?

  /// Reads what comes next of the data of the entry last given into `buffer`, from its start.
  ///
  /// - Parameter buffer: as many bytes as are to be read at most; its count does not change.
  /// - Returns: how many bytes were read; 0 behind the last of the entry.
  /// - Throws: ``ContentError`` where the container is broken or cannot be read.
  mutating func read(into buffer: inout [UInt8]) throws(ContentError) -> Int

  /// Looks whether the package is still what it was when it was opened: called when all was read.
  ///
  /// - Throws: ``ContentError`` with ``ContentError/Code/changed`` where it is not.
  mutating func checkUnchanged() throws(ContentError)
}
