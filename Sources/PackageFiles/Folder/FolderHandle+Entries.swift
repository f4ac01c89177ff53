#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension FolderHandle {
  /// The kind of an entry of a folder.
  public enum Kind: Sendable, Hashable {
    case file
    case folder
    case link
    case other
  }

  /// Returns the kind of the entry with that name, without following links; nil if there is none.
  ///
  /// - Throws: ``FolderError``.
  public func kind(of name: String) throws(FolderError) -> Kind? {
    try refuseUnlessComponent(name, "look at")
    return try kind(of: Array(name.utf8))
  }

  func kind(of name: [UInt8]) throws(FolderError) -> Kind? {
    guard let status = try status(of: name) else { return nil }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    case S_IFLNK: .link
    default: .other
    }
  }

  /// Returns the size of a file in bytes; nil if there is no file with that name.
  ///
  /// - Throws: ``FolderError``.
  public func bytes(ofFile name: String) throws(FolderError) -> UInt64? {
    try refuseUnlessComponent(name, "look at")
    guard let status = try status(of: Array(name.utf8)), status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return UInt64(status.st_size)
  }

  private func status(of name: [UInt8]) throws(FolderError) -> stat? {
    var status = stat()
    do throws(FolderError) {
      // SAFETY: fstatat fills in the structure passed to it and reads the name during the call.
      try retrying("look at", String(decoding: name, as: UTF8.self)) {
        unsafe withName(name) {
          unsafe fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW)
        }
      }
    } catch  where error.kind == .missing {
      return nil
    }
    return status
  }

  /// Returns the target of a symbolic link; nil if there is nothing with that name.
  ///
  /// - Throws: ``FolderError``: `unsupported` if something else has that name.
  public func linkTarget(_ name: String) throws(FolderError) -> String? {
    try refuseUnlessComponent(name, "read the link")
    var buffer = [UInt8](repeating: 0, count: linkTargetBytesMax)
    do throws(FolderError) {
      let count = try retrying("read the link", name) {
        // SAFETY: readlinkat writes at most as many bytes as the buffer has.
        unsafe buffer.withUnsafeMutableBufferPointer { buffer in
          guard let start = buffer.baseAddress else { return 0 }
          return unsafe start.withMemoryRebound(to: CChar.self, capacity: buffer.count) { text in
            unsafe Int32(readlinkat(descriptor, name, text, buffer.count))
          }
        }
      }
      return String(decoding: buffer.prefix(Int(count)), as: UTF8.self)
    } catch  where error.kind == .missing {
      return nil
    }
  }

  /// Returns the names in this folder, sorted by their bytes, without `.` and `..`.
  ///
  /// - Complexity: O(*n* log *n*) in the number of names.
  /// - Throws: ``FolderError``: `other` if a name is not UTF-8, which means that another program
  ///   created it.
  public func names() throws(FolderError) -> [String] {
    var names: [String] = []
    for bytes in try nameBytes() {
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw FolderError(EILSEQ, "list", String(decoding: bytes, as: UTF8.self))
      }
      names.append(name)
    }
    return names
  }

  /// Returns the names in this folder that are UTF-8, sorted by their bytes, without `.` and `..`.
  ///
  /// - Complexity: O(*n* log *n*) in the number of names.
  /// - Throws: ``FolderError``.
  public func namesInUTF8() throws(FolderError) -> [String] {
    try nameBytes().compactMap { String(validating: $0, as: UTF8.self) }
  }

  /// Returns the other names in this folder, with U+FFFD for the bytes that are not UTF-8. Use them
  /// only in messages: they cannot be used to open anything.
  ///
  /// - Complexity: O(*n* log *n*) in the number of names.
  /// - Throws: ``FolderError``.
  public func namesThatAreNotUTF8() throws(FolderError) -> [String] {
    try nameBytes().filter { String(validating: $0, as: UTF8.self) == nil }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of the names in this folder, sorted, without `.` and `..`.
  func nameBytes() throws(FolderError) -> [[UInt8]] {
    // Use a new descriptor: reading moves an offset that all copies of one descriptor share.
    // SAFETY: openat reads the name during the call.
    let copy = try retrying("list", ".") {
      unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    // SAFETY: fdopendir takes ownership of the descriptor, which closedir closes below.
    guard let stream = unsafe fdopendir(copy) else {
      let number = errno
      _ = close(copy)
      throw FolderError(number, "list", ".")
    }
    // SAFETY: the stream is open, and is closed once.
    defer { _ = unsafe closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      // SAFETY: the stream is open; the entry is valid until the next call and is copied before
      // that.
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw FolderError(errno, "list", ".") }
        break
      }
      // SAFETY: d_name is NUL-terminated within the entry.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: nameBytesMax + 1) { name in
          unsafe Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
        }
      }
      if name != Array(".".utf8) && name != Array("..".utf8) { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }
}

/// The maximum length of a file name in bytes: `NAME_MAX`.
public let nameBytesMax = 255

/// The maximum length of a symbolic link's target that is read, in bytes. The links made here
/// contain a single name.
private let linkTargetBytesMax = 1_024

extension FolderHandle {
  /// Returns the total size in bytes of all files in this folder and below, and the number of files
  /// and links.
  ///
  /// - Complexity: O(*n*) in the number of entries. The number of open descriptors grows with the
  ///   depth.
  /// - Throws: ``FolderError``.
  public func size() throws(FolderError) -> (bytes: UInt64, files: Int) {
    var total: (bytes: UInt64, files: Int) = (0, 0)
    for name in try nameBytes() {
      guard let status = try status(of: name) else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        let below = try folder(name).size()
        total = (total.bytes + below.bytes, total.files + below.files)
      case S_IFREG: total = (total.bytes + UInt64(status.st_size), total.files + 1)
      default: total.files += 1
      }
    }
    return total
  }
}
