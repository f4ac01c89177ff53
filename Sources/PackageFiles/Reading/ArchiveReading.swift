/// A xar or a zip that is read from front to back.
public protocol ArchiveReading: AnyObject {
  var format: ContainerFormat { get }

  /// The size of the container in bytes.
  var containerBytes: UInt64 { get }

  /// The checksums that the container states and libarchive does not compare: those of the archived
  /// bytes, sorted by offset, and then that of the table.
  var checksums: [StatedChecksum] { get }

  /// Returns the next entry; nil after the last. Unread data of the previous entry is skipped.
  func next() throws(PackageFileError) -> RawEntry?

  /// Reads the next part of the current entry into the start of `buffer`; 0 after its end.
  func read(into buffer: inout [UInt8]) throws(PackageFileError) -> Int

  /// Returns up to `count` bytes of the container at `offset`; fewer if it ends before.
  ///
  /// - Complexity: O(`count`).
  func containerBytes(at offset: UInt64, count: Int) throws(PackageFileError) -> [UInt8]

  /// - Throws: `changed` if the file has changed, or another file is at its path.
  func checkUnchanged() throws(PackageFileError)
}

extension ArchiveReading {
  /// The error for a part of the container whose checksum differs from the stated one.
  ///
  /// - Parameters:
  ///   - checksum: The stated checksum.
  ///   - path: The path of the container.
  public func damage(_ checksum: StatedChecksum, path: String) -> PackageFileError {
    PackageFileError(
      .malformed, path: path,
      "the xar is damaged: the \(checksum.length) bytes at \(checksum.offset) do not have the "
        + "\(checksum.algorithm.rawValue) that it states for them. Download it again.")
  }
}
