internal import CArchive

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Reads a xar or a zip from front to back with libarchive.
@safe final class ArchiveReader: ArchiveReading {
  /// The number of bytes of the file that libarchive reads at once.
  private static let blockBytes = 1 << 20
  /// The number of consecutive empty blocks after which the reader gives up.
  private static let emptyBlocksMax = 10_000

  let path: String
  let format: ContainerFormat
  let checksums: [StatedChecksum]
  private let file: ReadFile
  private let handle: OpaquePointer
  private let locale = LocaleOfNames()
  private var hasData = false
  /// The current block of the archive, as far as it has not been returned.
  private var block: UnsafeRawPointer?
  private var blockCount = 0
  private var blockOffset = 0
  private var emptyBlocks = 0

  /// The size of the container in bytes.
  var containerBytes: UInt64 { file.state.bytes }

  /// Takes ownership of an open file. Returns `nil` if its first bytes are not a known format.
  init?(_ file: ReadFile) throws(PackageFileError) {
    guard file.state.type == .file,
      let format = ContainerFormat(firstBytes: try file.bytes(at: 0, count: 4))
    else { return nil }
    switch format {
    case .xar: checksums = try XarTable.check(file)
    case .zip:
      try ZipTable.check(file)
      checksums = []
    }
    // SAFETY: the archive is freed in deinit, or below if opening fails.
    guard let handle = unsafe archive_read_new() else {
      throw PackageFileError(.system, path: file.path, "libarchive ran out of memory.")
    }
    self.file = file
    self.format = format
    path = file.path
    unsafe self.handle = handle
    let result = locale.use {
      switch format {
      // SAFETY: the handle is a new archive.
      case .xar: unsafe archive_read_support_format_xar(handle)
      case .zip: unsafe archive_read_support_format_zip_seekable(handle)
      }
    }
    guard result == ARCHIVE_OK || result == ARCHIVE_WARN else { throw failure() }
    // SAFETY: the descriptor stays open as long as `file`, which outlives the archive.
    let opened = locale.use {
      unsafe archive_read_open_fd(handle, file.descriptor, Self.blockBytes)
    }
    guard opened == ARCHIVE_OK else { throw failure() }
  }

  deinit {
    // SAFETY: the archive was created in init and is not used anywhere else.
    unsafe archive_read_free(handle)
  }

  /// Returns the next entry; nil after the last. Unread data of the previous entry is skipped.
  func next() throws(PackageFileError) -> RawEntry? {
    endData()
    var entry: OpaquePointer?
    let result = locale.use {
      // SAFETY: the entry belongs to the archive until the next header is read.
      unsafe archive_read_next_header(handle, &entry)
    }
    if result == ARCHIVE_EOF { return nil }
    guard result == ARCHIVE_OK || result == ARCHIVE_WARN, let entry = unsafe entry else {
      throw failure()
    }
    var isPathWhole = true
    if result == ARCHIVE_WARN {
      // This is the only warning that is about the entry and not the container.
      guard message.contains("onver") else { throw failure() }
      isPathWhole = false
    }
    let raw = locale.use { unsafe Self.read(entry, isPathWhole) }
    if case .file = raw.kind { hasData = true }
    return raw
  }

  /// Reads the next part of the current entry into the start of `buffer`; 0 after its end.
  ///
  /// It reads blocks instead of using `archive_read_data`, which pads with zeros up to the offset
  /// of a block. Before 3.8.2, libarchive does not reset that offset between the entries of a xar
  /// (its pull request 2665). Neither format has holes.
  func read(into buffer: inout [UInt8]) throws(PackageFileError) -> Int {
    guard hasData, !buffer.isEmpty else { return 0 }
    var filled = 0
    while filled < buffer.count {
      if blockOffset == blockCount, try !readBlock() { break }
      guard let block = unsafe block else { break }
      let count = min(buffer.count - filled, blockCount - blockOffset)
      // SAFETY: the block belongs to the archive until the next call, `count` bytes of it have not
      // been read yet, and the buffer has space for as many.
      unsafe buffer.withUnsafeMutableBytes { bytes in
        let free = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
        unsafe free.copyMemory(
          from: UnsafeRawBufferPointer(start: block + blockOffset, count: count))
      }
      blockOffset += count
      filled += count
    }
    return filled
  }

  /// Requests the next block of data; false after the last.
  private func readBlock() throws(PackageFileError) -> Bool {
    var start: UnsafeRawPointer?
    var count = 0
    var offset: Int64 = 0
    // SAFETY: libarchive sets all three values; the block belongs to it until the next call.
    let result = unsafe archive_read_data_block(handle, &start, &count, &offset)
    unsafe block = start
    blockCount = count
    blockOffset = 0
    if result == ARCHIVE_EOF {
      endData()
      return false
    }
    guard result == ARCHIVE_OK else { throw failure() }
    emptyBlocks = count == 0 ? emptyBlocks + 1 : 0
    guard emptyBlocks < Self.emptyBlocksMax else {
      throw PackageFileError(
        .malformed, path: path, "an entry's data does not end.")
    }
    return true
  }

  private func endData() {
    hasData = false
    unsafe block = nil
    blockCount = 0
    blockOffset = 0
  }

  /// Returns up to `count` bytes of the container at `offset`; fewer if it ends before.
  ///
  /// - Complexity: O(`count`).
  func containerBytes(
    at offset: UInt64, count: Int
  ) throws(PackageFileError) -> [UInt8] {
    try file.bytes(at: offset, count: count)
  }

  /// - Throws: `changed` if the file has changed, or another file is at its path.
  func checkUnchanged() throws(PackageFileError) {
    try file.checkStillAtItsPath()
  }

  private static func read(_ entry: OpaquePointer, _ isPathWhole: Bool) -> RawEntry {
    // SAFETY: the entry's strings are valid until the next header is read, and are copied here.
    let path = unsafe archive_entry_pathname(entry).map { unsafe bytes(of: $0) }
    let kind: RawEntry.Kind
    if let target = unsafe archive_entry_hardlink(entry) {
      kind = .hardLink(target: unsafe bytes(of: target))
    } else {
      kind = unsafe self.kind(of: entry)
    }
    return RawEntry(
      path: path ?? [], isPathWhole: isPathWhole && path != nil, kind: kind,
      permissions: unsafe UInt32(archive_entry_perm(entry)) & 0o7777)
  }

  private static func kind(of entry: OpaquePointer) -> RawEntry.Kind {
    // SAFETY: the entry belongs to the archive, and is valid until the next header is read.
    switch unsafe FileType(mode: UInt32(archive_entry_filetype(entry))) {
    case .file:
      // SAFETY: as above.
      let isStated = unsafe archive_entry_size_is_set(entry) != 0
      return .file(bytes: isStated ? unsafe UInt64(max(0, archive_entry_size(entry))) : nil)
    case .folder:
      return .folder
    case .link:
      // SAFETY: as above; the string is copied.
      return .link(target: unsafe archive_entry_symlink(entry).map { unsafe bytes(of: $0) } ?? [])
    case .special(let name):
      return .special(name)
    }
  }

  private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
    // SAFETY: libarchive's strings are NUL-terminated.
    unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }

  private var message: String {
    // SAFETY: the string belongs to the archive, and is copied here.
    unsafe archive_error_string(handle).map { unsafe String(cString: $0) } ?? "unknown reason"
  }

  private func failure() -> PackageFileError {
    let number = unsafe archive_errno(handle)
    let isSystem = number == EIO || number == ENOMEM || number == EACCES
    return PackageFileError(
      isSystem ? .system : .malformed, path: path,
      "the \(format == .xar ? "xar" : "zip") cannot be read: \(message)")
  }
}
