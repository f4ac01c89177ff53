internal import CArchive

/// Checks the table of contents of a xar before libarchive loads it into memory.
///
/// libarchive unpacks the whole table and keeps each entry with its path, so a few kilobytes can
/// become gigabytes through good compression, deep nesting, or long names above many entries. With
/// some tables it never ends. Therefore ``XarTableScan`` reads the table first, by stricter rules.
enum XarTable {
  /// The maximum size of the compressed table, in bytes.
  private static let packedBytesMax: UInt64 = 64 << 20
  /// The maximum size of the unpacked table, in bytes: about 600 per entry.
  private static let bytesMax = 256 << 20
  private static let headerBytes = 28
  private static let headerBytesMax = 4_096
  /// The number of bytes that are unpacked at once.
  private static let pieceBytes = 1 << 16

  /// - Returns: The checksums that libarchive will not compare.
  /// - Throws: `malformed` if the header is invalid, or the table would cost too much.
  static func check(_ file: ReadFile) throws(PackageFileError) -> [StatedChecksum] {
    let header = try file.bytes(at: 0, count: headerBytes)
    guard header.count == headerBytes else { throw broken(file, "its header is incomplete") }
    let headerSize = Int(number(header[4..<6]))
    let packedBytes = number(header[8..<16])
    guard (headerBytes...headerBytesMax).contains(headerSize) else {
      throw broken(file, "its header states a size of \(headerSize) bytes")
    }
    guard packedBytes <= packedBytesMax else {
      throw broken(file, "its table of contents states \(packedBytes) bytes")
    }
    let table = try file.bytes(at: UInt64(headerSize), count: Int(packedBytes))
    guard table.count == Int(packedBytes), table.count > zlibHeaderBytes else {
      throw broken(file, "its table of contents is incomplete")
    }
    let scan = try unpack(table, file)
    return try checksums(of: scan, headerSize: UInt64(headerSize), packedBytes, file)
  }

  /// The checksums with offsets in the file instead of the heap, which begins after the table.
  private static func checksums(
    of scan: XarTableScan, headerSize: UInt64, _ packedBytes: UInt64, _ file: ReadFile
  ) throws(PackageFileError) -> [StatedChecksum] {
    let heap = headerSize + packedBytes
    var checksums: [StatedChecksum] = []
    var total: UInt64 = 0
    for var checksum in scan.checksums.sorted(by: { $0.offset < $1.offset }) {
      let (end, overflow) = checksum.offset.addingReportingOverflow(checksum.length)
      guard !overflow, file.state.bytes >= heap, end <= file.state.bytes - heap else {
        throw broken(file, "its table of contents names data beyond the end of the file")
      }
      // A table with overlapping parts is made to cause the same data to be read many times.
      total += checksum.length
      guard total <= file.state.bytes else {
        throw broken(file, "its table of contents names the same data many times")
      }
      checksum.offset += heap
      checksums.append(checksum)
    }
    guard let (algorithm, offset) = scan.ofTable else { return checksums }
    guard offset <= file.state.bytes else {
      throw broken(file, "its table of contents has its checksum beyond the end of the file")
    }
    let digest = try file.bytes(at: heap + offset, count: algorithm.byteCount)
    checksums.append(
      StatedChecksum(
        algorithm: algorithm, offset: headerSize, length: packedBytes, digest: digest))
    return checksums
  }

  /// The two bytes before the deflated data in a zlib stream (RFC 1950).
  private static let zlibHeaderBytes = 2
  /// A gzip header without name, comment and time (RFC 1952), which libarchive can unpack.
  private static let gzipHeader: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
  private static let gzipTrailerBytes = 8

  private static func unpack(
    _ table: [UInt8], _ file: ReadFile
  ) throws(PackageFileError) -> XarTableScan {
    let stream =
      gzipHeader + table.dropFirst(zlibHeaderBytes)
      + [UInt8](repeating: 0, count: gzipTrailerBytes)
    // SAFETY: the archive is freed below; the stream outlives it.
    guard let handle = unsafe archive_read_new() else {
      throw PackageFileError(.system, path: file.path, "libarchive ran out of memory.")
    }
    defer { unsafe archive_read_free(handle) }
    var scan = XarTableScan()
    let problem = unsafe stream.withUnsafeBytes { bytes -> String? in
      // SAFETY: the handle is a new archive, and reads the bytes only within this closure.
      guard unsafe archive_read_support_filter_gzip(handle) == ARCHIVE_OK,
        unsafe archive_read_support_format_raw(handle) == ARCHIVE_OK,
        unsafe archive_read_open_memory(handle, bytes.baseAddress, bytes.count) == ARCHIVE_OK
      else { return "its table of contents cannot be unpacked" }
      var entry: OpaquePointer?
      guard unsafe archive_read_next_header(handle, &entry) == ARCHIVE_OK else {
        return "its table of contents cannot be unpacked"
      }
      return unsafe read(handle, into: &scan)
    }
    if let problem { throw broken(file, problem) }
    return scan
  }

  /// Scans the unpacked table. Returns a description of the problem with it; nil if there is none.
  private static func read(_ handle: OpaquePointer, into scan: inout XarTableScan) -> String? {
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    var total = 0
    while true {
      // SAFETY: libarchive writes at most as many bytes as the piece has.
      let count = unsafe piece.withUnsafeMutableBytes { bytes in
        unsafe archive_read_data(handle, bytes.baseAddress, bytes.count)
      }
      // The checksum at the end is zlib's and not gzip's. It is not checked here: libarchive reads
      // the table again.
      guard count > 0 else { return scan.problemAtEnd() }
      total += count
      guard total <= bytesMax else {
        return "its table of contents unpacks to more than \(bytesMax) bytes"
      }
      if let problem = scan.problem(in: piece[..<count]) { return problem }
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func broken(_ file: ReadFile, _ reason: String) -> PackageFileError {
    PackageFileError(.malformed, path: file.path, "the xar cannot be read: \(reason).")
  }
}
