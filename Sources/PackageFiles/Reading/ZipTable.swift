/// Checks the central directory of a zip before libarchive loads it into memory.
///
/// A zip states everything twice: in its directory, which libarchive uses, and in a header before
/// each file, which streaming readers use. If the two differ, two programs see two different
/// packages. A zip is therefore accepted only if there is one way to read it: the headers match the
/// directory, and the bytes of the entries follow one another from the first byte of the file to
/// the directory.
enum ZipTable {
  /// The maximum size of the directory in bytes. libarchive needs about three times as much memory.
  private static let bytesMax: UInt64 = 64 << 20
  /// The distance from the end of the file within which libarchive looks for the end record of the
  /// directory (APPNOTE 4.3.16).
  private static let tailBytes: UInt64 = 16 << 10
  private static let endBytes = 22
  private static let largeEndBytes = 56
  private static let locatorBytes = 20

  /// The location of the directory, and the number of entries that it states.
  private struct Directory {
    var start: UInt64
    var bytes: UInt64
    var entries: UInt64

    /// Returns whether an end record states what its ZIP64 end record does: the same values, or
    /// that they are too large for it (APPNOTE 4.4.1.4). Some readers believe the one, and some the
    /// other.
    func agrees(with large: Directory) -> Bool {
      (start == 0xFFFF_FFFF || start == large.start)
        && (bytes == 0xFFFF_FFFF || bytes == large.bytes)
        && (entries == 0xFFFF || entries == large.entries)
    }
  }

  /// - Throws: `malformed` if there is no directory, if it is too large, if a name in it contains a
  ///   NUL (libarchive would ignore the rest of the name), or if another program would see other
  ///   files.
  static func check(_ file: ReadFile) throws(PackageFileError) {
    let directory = try directory(of: file)
    let bytes = try file.bytes(at: directory.start, count: Int(directory.bytes))
    let entries: [ZipEntry]
    do throws(ZipProblem) { entries = try ZipEntry.all(in: bytes) } catch {
      throw error.error(of: file)
    }
    guard UInt64(entries.count) == directory.entries else {
      throw broken(
        file, "its end record states \(directory.entries) entries, but there are \(entries.count)")
    }
    var end: UInt64 = 0
    for entry in entries.sorted(by: { $0.offset < $1.offset }) {
      do throws(ZipProblem) {
        end = try entry.end(in: file, after: end, before: directory.start)
      } catch { throw error.error(of: file) }
    }
    guard end == directory.start else {
      throw broken(file, "it has bytes before its directory that do not belong to any entry")
    }
  }

  private static func directory(of file: ReadFile) throws(PackageFileError) -> Directory {
    let tailStart = file.state.bytes - min(file.state.bytes, tailBytes)
    let tail = try file.bytes(at: tailStart, count: Int(file.state.bytes - tailStart))
    guard let end = endOfDirectory(tail) else {
      throw broken(file, "its directory is incomplete: the package was not copied completely")
    }
    guard end + endBytes + Int(tail.little(end + 20, 2)) == tail.count else {
      throw broken(file, "it has bytes after its end record")
    }
    guard tail.little(end + 4, 4) == 0, tail.little(end + 8, 2) == tail.little(end + 10, 2) else {
      throw broken(file, "its end record states that it is in several parts")
    }
    var found = Directory(
      start: tail.little(end + 16, 4), bytes: tail.little(end + 12, 4),
      entries: tail.little(end + 10, 2))
    var directoryEnd = tailStart + UInt64(end)
    if let large = try largeEnd(file, tail, end, startingAt: tailStart) {
      guard found.agrees(with: large.directory) else {
        throw broken(file, "its two end records state different directories")
      }
      (found, directoryEnd) = (large.directory, large.position)
    }
    guard found.bytes <= bytesMax, found.bytes <= directoryEnd else {
      throw broken(file, "its directory states a size of \(found.bytes) bytes")
    }
    guard found.start == directoryEnd - found.bytes else {
      throw broken(file, "its directory is not at the offset that its end record states")
    }
    return found
  }

  private static func endOfDirectory(_ tail: [UInt8]) -> Int? {
    guard tail.count >= endBytes else { return nil }
    return stride(from: tail.count - endBytes, through: 0, by: -1).first { start in
      tail.little(start, 4) == 0x0605_4B50
    }
  }

  /// Returns the contents and the position of the ZIP64 end record; nil if there is no locator.
  private static func largeEnd(
    _ file: ReadFile, _ tail: [UInt8], _ end: Int, startingAt tailStart: UInt64
  ) throws(PackageFileError) -> (directory: Directory, position: UInt64)? {
    let locator = end - locatorBytes
    guard locator >= 0, tail.little(locator, 4) == 0x0706_4B50 else { return nil }
    let position = tail.little(locator + 8, 8)
    // Nothing may lie between the record and its locator, not even the record's own extension: it
    // could be another directory.
    let (recordEnd, overflow) = position.addingReportingOverflow(UInt64(largeEndBytes))
    guard !overflow, recordEnd == tailStart + UInt64(locator) else {
      throw broken(file, "the ZIP64 end record is not directly before its locator")
    }
    let large = try file.bytes(at: position, count: largeEndBytes)
    guard large.count == largeEndBytes, large.little(0, 4) == 0x0606_4B50,
      large.little(4, 8) == UInt64(largeEndBytes - 12)
    else { throw broken(file, "the ZIP64 end record is not at the offset in its locator") }
    guard large.little(16, 8) == 0, large.little(24, 8) == large.little(32, 8),
      tail.little(locator + 4, 4) == 0
    else { throw broken(file, "its end record states that it is in several parts") }
    return (
      Directory(
        start: large.little(48, 8), bytes: large.little(40, 8), entries: large.little(32, 8)),
      position
    )
  }

  private static func broken(_ file: ReadFile, _ reason: String) -> PackageFileError {
    ZipProblem.malformed(reason).error(of: file)
  }
}

/// The reason why a zip is refused.
enum ZipProblem: Error {
  /// A description that follows "the zip cannot be read".
  case malformed(String)
  /// The file itself cannot be read.
  case unreadable(PackageFileError)

  func error(of file: ReadFile) -> PackageFileError {
    switch self {
    case .malformed(let reason):
      PackageFileError(.malformed, path: file.path, "the zip cannot be read: \(reason).")
    case .unreadable(let error): error
    }
  }
}
