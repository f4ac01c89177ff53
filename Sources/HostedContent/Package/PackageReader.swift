/// Reads a content package once, from front to back: a folder, a xar (`.pkg`) or a zip.
///
/// One such pass validates the package, computes its digest, and copies it for an install.
public protocol PackageReader: ~Copyable {
  /// Returns the next entry, or nil after the last. Unread data of the previous entry is skipped.
  ///
  /// - Throws: ``ContentError`` if the container is broken or cannot be read.
  mutating func next() throws(ContentError) -> PackageEntry?

  /// Reads the next part of the current entry's data into the start of `buffer`.
  ///
  /// - Parameter buffer: The buffer. Its count is the maximum number of bytes read, and does not
  ///   change.
  /// - Returns: The number of bytes read; 0 at the end of the entry.
  /// - Throws: ``ContentError`` if the container is broken or cannot be read.
  mutating func read(into buffer: inout [UInt8]) throws(ContentError) -> Int

  /// Checks that the package has not changed since it was opened. Call this after reading
  /// everything.
  ///
  /// - Throws: ``ContentError`` with ``ContentError/Code/changed`` if it has.
  mutating func checkUnchanged() throws(ContentError)
}
