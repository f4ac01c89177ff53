/// A xar or a zip that a child process parses.
final class IsolatedArchive: ArchiveReading {
  let format: ContainerFormat
  let checksums: [StatedChecksum]
  private let file: ReadFile
  private let child: ArchiveChild

  /// Starts the child and lets it read the container's table.
  ///
  /// - Throws: `malformed` if the archive is broken or exceeds the limits; `system` if the child
  ///   cannot be started.
  init(_ file: ReadFile, command: [String], limits: ArchiveLimits) throws(PackageFileError) {
    self.file = file
    child = try ArchiveChild(command, archive: file, limits: limits)
    var payload = PayloadReader(try child.ask(.summary, expecting: .summary) ?? [])
    format = payload.number(UInt8.self) == 0 ? .xar : .zip
    var checksums: [StatedChecksum] = []
    while !payload.isAtEnd {
      guard let checksum = StatedChecksum(&payload) else { throw child.nonsense() }
      checksums.append(checksum)
    }
    self.checksums = checksums
  }

  var containerBytes: UInt64 { file.state.bytes }

  func next() throws(PackageFileError) -> RawEntry? {
    guard let bytes = try child.ask(.next, expecting: .entry) else { return nil }
    var payload = PayloadReader(bytes)
    guard let entry = RawEntry(&payload) else { throw child.nonsense() }
    return entry
  }

  func read(into buffer: inout [UInt8]) throws(PackageFileError) -> Int {
    try child.read(into: &buffer)
  }

  func containerBytes(at offset: UInt64, count: Int) throws(PackageFileError) -> [UInt8] {
    try file.bytes(at: offset, count: count)
  }

  func checkUnchanged() throws(PackageFileError) { try file.checkStillAtItsPath() }
}
