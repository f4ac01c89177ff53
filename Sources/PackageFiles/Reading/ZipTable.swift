/// The central directory of a zip, checked before libarchive builds it in memory.
enum ZipTable {
  /// The largest directory in bytes. libarchive keeps about three times as many.
  private static let bytesMax: UInt64 = 64 << 20
  /// How far from the file's end libarchive looks for the end of the directory (APPNOTE 4.3.16).
  private static let tailBytes: UInt64 = 16 << 10
  private static let endBytes = 22
  private static let largeEndBytes = 56
  private static let locatorBytes = 20
  private static let entryBytes = 46

  /// - Throws: `malformed` if there is no directory, if it is too large, or if a name in it
  ///   contains a zero byte, past which libarchive would not read.
  static func check(_ file: ReadFile) throws(PackageFileError) {
    let tailStart = file.state.bytes - min(file.state.bytes, tailBytes)
    let tail = try file.bytes(at: tailStart, count: Int(file.state.bytes - tailStart))
    guard let end = endOfDirectory(tail) else {
      throw broken(file, "its directory is cut off: the package was not copied whole")
    }
    let endPosition = tailStart + UInt64(end)
    var size = UInt64(little(tail, end + 12, 4))
    var directoryEnd = endPosition
    if let large = try largeEnd(file, tail, end) {
      size = large.size
      directoryEnd = large.position
    }
    guard size <= bytesMax, size <= directoryEnd else {
      throw broken(file, "its directory states a size of \(size) bytes")
    }
    let directory = try file.bytes(at: directoryEnd - size, count: Int(size))
    guard !hasZeroInName(directory) else {
      throw broken(file, "a name in it holds a zero byte")
    }
  }

  private static func endOfDirectory(_ tail: [UInt8]) -> Int? {
    guard tail.count >= endBytes else { return nil }
    return stride(from: tail.count - endBytes, through: 0, by: -1).first { start in
      little(tail, start, 4) == 0x0605_4B50
    }
  }

  /// Where the zip64 end record is and what size it states; nil if there is none.
  private static func largeEnd(
    _ file: ReadFile, _ tail: [UInt8], _ end: Int
  ) throws(PackageFileError) -> (position: UInt64, size: UInt64)? {
    let locator = end - locatorBytes
    guard locator >= 0, little(tail, locator, 4) == 0x0706_4B50 else { return nil }
    let position = little(tail, locator + 8, 8)
    guard position < file.state.bytes else {
      throw broken(file, "its directory's end states a place that is not there")
    }
    let large = try file.bytes(at: position, count: largeEndBytes)
    guard large.count == largeEndBytes, little(large, 0, 4) == 0x0606_4B50 else { return nil }
    return (position, little(large, 40, 8))
  }

  private static func hasZeroInName(_ directory: [UInt8]) -> Bool {
    var start = 0
    while start + entryBytes <= directory.count, little(directory, start, 4) == 0x0201_4B50 {
      let name = Int(little(directory, start + 28, 2))
      let nameEnd = min(start + entryBytes + name, directory.count)
      if directory[start + entryBytes..<nameEnd].contains(0) { return true }
      start =
        nameEnd + Int(little(directory, start + 30, 2)) + Int(little(directory, start + 32, 2))
    }
    return false
  }

  private static func little(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
    bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func broken(_ file: ReadFile, _ reason: String) -> PackageFileError {
    PackageFileError(.malformed, path: file.path, "the zip cannot be read: \(reason).")
  }
}
