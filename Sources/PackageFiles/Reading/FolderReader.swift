#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Reads a folder and everything below it, in the byte order of names, without following links.
public final class FolderReader {
  /// The maximum length in bytes of the path of a folder that is entered. Each level keeps a
  /// descriptor open.
  private static let enteredPathBytesMax = 1_000
  /// The maximum length of a link's target in bytes, as in Linux.
  private static let targetBytesMax = 4_096

  public let path: String
  /// The open folder below which everything is read; nil if the folder is opened by its path.
  private let folder: FolderListing?
  private var open: [FolderListing]
  private var file: ReadFile?
  private var unread: UInt64 = 0
  /// A hash of the sizes, times and names of all entries that were returned.
  private var fingerprint = Hasher()

  /// Opens the folder. If the path is a link to a folder, it is followed.
  public init(path: String) throws(PackageFileError) {
    self.path = path
    folder = nil
    open = [
      try FolderListing(Array(path.utf8), follows: true, path: [], named: path)
    ]
  }

  /// Reads a folder that is already open, whatever is at its path now.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - path: The path for error messages.
  public convenience init(
    _ folder: borrowing FolderHandle, path: String
  ) throws(PackageFileError) {
    try self.init(reopening: folder.descriptor, path: path)
  }

  private init(reopening descriptor: Int32, path: String) throws(PackageFileError) {
    self.path = path
    let listing = try FolderListing(
      [UInt8(ascii: ".")], in: descriptor, follows: false, path: [], named: path)
    folder = listing
    open = [listing]
  }

  /// Returns the next entry, a folder before its contents; nil after the last.
  public func next() throws(PackageFileError) -> RawEntry? {
    file = nil
    unread = 0
    guard let (listing, name) = following() else { return nil }
    let entryPath = Self.join(listing.path, name.bytes)
    if name.type == UInt8(DT_REG) {
      let opened = try openFile(name.bytes, listing, entryPath)
      if let opened { return opened }
    }
    let state = try self.state(of: name.bytes, in: listing, entryPath)
    if state.type == .file, let opened = try openFile(name.bytes, listing, entryPath) {
      return opened
    }
    let kind = try self.kind(of: state, name.bytes, listing, entryPath)
    note(entryPath, state, kind)
    if state.type == .folder, entryPath.count <= Self.enteredPathBytesMax {
      open.append(
        try FolderListing(
          name.bytes, in: listing.descriptor, follows: false, path: entryPath,
          named: text(entryPath)))
    }
    return RawEntry(
      path: entryPath, isPathWhole: true, kind: kind, permissions: state.permissions)
  }

  /// Reads the next part of the current file into the start of `buffer`; 0 after its end.
  public func read(into buffer: inout [UInt8]) throws(PackageFileError) -> Int {
    guard let file else { return 0 }
    guard unread > 0 else { return 0 }
    let count = try file.read(into: &buffer, count: Int(min(unread, UInt64(buffer.count))))
    unread -= UInt64(count)
    if count == 0 {
      throw PackageFileError(
        .changed, path: file.path,
        "became shorter while it was being read: stop writing to it, and try again.")
    }
    if unread == 0 { try file.checkUnchanged() }
    return count
  }

  /// Reads the folder's entries again, and compares names, sizes and times with those that were
  /// returned.
  ///
  /// - Complexity: O(*n* log *n*) in the number of entries. No data is read.
  public func checkUnchanged() throws(PackageFileError) {
    let again: FolderReader
    if let folder {
      again = try FolderReader(reopening: folder.descriptor, path: path)
    } else {
      again = try FolderReader(path: path)
    }
    while (try again.nextWithoutOpening()) != nil {}
    guard again.fingerprint.finalize() == fingerprint.finalize() else {
      throw PackageFileError(
        .changed, path: path,
        "changed while it was being read: stop writing to it, and try again.")
    }
  }

  private func nextWithoutOpening() throws(PackageFileError) -> FileState? {
    guard let (listing, name) = following() else { return nil }
    let entryPath = Self.join(listing.path, name.bytes)
    let state = try self.state(of: name.bytes, in: listing, entryPath)
    note(entryPath, state, try kind(of: state, name.bytes, listing, entryPath))
    if state.type == .folder, entryPath.count <= Self.enteredPathBytesMax {
      open.append(
        try FolderListing(
          name.bytes, in: listing.descriptor, follows: false, path: entryPath,
          named: text(entryPath)))
    }
    return state
  }

  private func following() -> (FolderListing, FolderListing.Name)? {
    while let listing = open.last {
      if let name = listing.next() { return (listing, name) }
      open.removeLast()
    }
    return nil
  }

  /// Returns the entry of a file, and leaves the file open; nil if it turns out not to be a file.
  private func openFile(
    _ name: [UInt8], _ listing: FolderListing, _ entryPath: [UInt8]
  ) throws(PackageFileError) -> RawEntry? {
    let opened = try ReadFile(
      name, in: listing.descriptor, follows: false, path: text(entryPath))
    guard opened.state.type == .file else { return nil }
    let kind = RawEntry.Kind.file(bytes: opened.state.bytes)
    note(entryPath, opened.state, kind)
    file = opened
    unread = opened.state.bytes
    return RawEntry(
      path: entryPath, isPathWhole: true, kind: kind, permissions: opened.state.permissions)
  }

  private func note(_ entryPath: [UInt8], _ state: FileState, _ kind: RawEntry.Kind) {
    fingerprint.combine(entryPath)
    fingerprint.combine(kind)
    // The size and time of a folder change with its contents, which are recorded separately.
    if state.type == .file { fingerprint.combine(state) }
  }

  private func state(
    of name: [UInt8], in listing: FolderListing, _ entryPath: [UInt8]
  ) throws(PackageFileError) -> FileState {
    var status = stat()
    // SAFETY: fstatat reads the name during the call and writes to the structure passed to it.
    let result = unsafe withName(name) {
      unsafe fstatat(listing.descriptor, $0, &status, AT_SYMLINK_NOFOLLOW)
    }
    guard result == 0 else { throw PackageFileError.system("stat", text(entryPath)) }
    return FileState(status)
  }

  private func kind(
    of state: FileState, _ name: [UInt8], _ listing: FolderListing, _ entryPath: [UInt8]
  ) throws(PackageFileError) -> RawEntry.Kind {
    switch state.type {
    case .folder: return .folder
    case .file: return .file(bytes: state.bytes)
    case .special(let name): return .special(name)
    case .link: break
    }
    var target = [UInt8](repeating: 0, count: Self.targetBytesMax)
    // SAFETY: readlinkat reads the name during the call and writes at most as many bytes as the
    // target has.
    let count = unsafe target.withUnsafeMutableBytes { buffer in
      unsafe withName(name) { name in
        guard let start = buffer.baseAddress else { return 0 }
        return unsafe readlinkat(
          listing.descriptor, name, start.assumingMemoryBound(to: CChar.self), buffer.count)
      }
    }
    guard count >= 0 else { throw PackageFileError.system("read the link", text(entryPath)) }
    return .link(target: Array(target[..<count]))
  }

  private static func join(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
    folder.isEmpty ? name : folder + [UInt8(ascii: "/")] + name
  }

  private func text(_ entryPath: [UInt8]) -> String {
    path + "/" + String(decoding: entryPath, as: UTF8.self)
  }
}
