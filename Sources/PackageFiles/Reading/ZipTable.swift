/// The central directory of a zip, looked over before libarchive builds it in memory.
///
/// A zip says everything twice: in its directory, which libarchive goes by, and in a header before
/// each file, which readers that stream go by. Where the two differ, two programs see two packages.
/// So a zip is read in one way or refused: the headers say what the directory says, and the bytes
/// of the entries follow one another from the file's first byte to the directory.
enum ZipTable {
  /// The largest directory in bytes. libarchive keeps about three times as many.
  private static let bytesMax: UInt64 = 64 << 20
  /// How far from the file's end libarchive looks for the end of the directory (APPNOTE 4.3.16).
  private static let tailBytes: UInt64 = 16 << 10
  private static let endBytes = 22
  private static let largeEndBytes = 56
  private static let locatorBytes = 20

  /// Where the directory lies, and how many entries it states.
  private struct Directory {
    var start: UInt64
    var bytes: UInt64
    var entries: UInt64
  }

  /// - Throws: `malformed` where there is no directory, it is too large, a name in it holds a zero
  ///   byte, behind which libarchive would not look, or another program would see other files.
  static func check(_ file: ReadFile) throws(PackageFileError) {
    let directory = try directory(of: file)
    let bytes = try file.bytes(at: directory.start, count: Int(directory.bytes))
    let entries: [ZipEntry]
    do throws(ZipProblem) { entries = try ZipEntry.all(in: bytes) } catch {
      throw error.error(of: file)
    }
    guard UInt64(entries.count) == directory.entries else {
      throw broken(
        file, "its end states \(directory.entries) entries and its directory has \(entries.count)")
    }
    var end: UInt64 = 0
    for entry in entries.sorted(by: { $0.offset < $1.offset }) {
      do throws(ZipProblem) {
        end = try entry.end(in: file, after: end, before: directory.start)
      } catch { throw error.error(of: file) }
    }
    guard end == directory.start else {
      throw broken(file, "it holds bytes before its directory that belong to no entry")
    }
  }

  private static func directory(of file: ReadFile) throws(PackageFileError) -> Directory {
    let tailStart = file.state.bytes - min(file.state.bytes, tailBytes)
    let tail = try file.bytes(at: tailStart, count: Int(file.state.bytes - tailStart))
    guard let end = endOfDirectory(tail) else {
      throw broken(file, "its directory is cut off: the package was not copied whole")
    }
    guard end + endBytes + Int(tail.little(end + 20, 2)) == tail.count else {
      throw broken(file, "bytes stand behind its end")
    }
    var found = Directory(
      start: tail.little(end + 16, 4), bytes: tail.little(end + 12, 4),
      entries: tail.little(end + 10, 2))
    var directoryEnd = tailStart + UInt64(end)
    if let large = try largeEnd(file, tail, end) { (found, directoryEnd) = large }
    guard found.bytes <= bytesMax, found.bytes <= directoryEnd else {
      throw broken(file, "its directory states a size of \(found.bytes) bytes")
    }
    guard found.start == directoryEnd - found.bytes else {
      throw broken(file, "its directory does not lie where its end states")
    }
    return found
  }

  private static func endOfDirectory(_ tail: [UInt8]) -> Int? {
    guard tail.count >= endBytes else { return nil }
    return stride(from: tail.count - endBytes, through: 0, by: -1).first { start in
      tail.little(start, 4) == 0x0605_4B50
    }
  }

  /// What the large end states, and where it lies; nil where there is none.
  private static func largeEnd(
    _ file: ReadFile, _ tail: [UInt8], _ end: Int
  ) throws(PackageFileError) -> (Directory, position: UInt64)? {
    let locator = end - locatorBytes
    guard locator >= 0, tail.little(locator, 4) == 0x0706_4B50 else { return nil }
    let position = tail.little(locator + 8, 8)
    guard position < file.state.bytes else {
      throw broken(file, "its directory's end states a place that is not there")
    }
    let large = try file.bytes(at: position, count: largeEndBytes)
    guard large.count == largeEndBytes, large.little(0, 4) == 0x0606_4B50 else { return nil }
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

/// Why a zip is not read.
enum ZipProblem: Error {
  /// In words that follow "the zip cannot be read".
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
