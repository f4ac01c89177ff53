internal import PackageFiles

/// Writes a package into a folder that is not visible yet, while the package is checked.
///
/// Every file is new. Nothing is overwritten and no link is followed. A path that would lead out of
/// the folder is refused here again, whatever the check found.
struct StagingSink: PackageSink, ~Copyable {
  private let tree: OpenFolder
  private let path: String
  /// The folders from the tree down to the one that contains the last entry.
  private var opened: [OpenFolder] = []
  /// The file of the last entry, if it is written in pieces.
  private var file: StagedFile?
  /// The last entry while it is small: its folder, its name and its bytes so far.
  private var small: (folder: OpenFolder, name: String, bytes: [UInt8])?
  private let files = SmallFiles()
  private(set) var bytes: UInt64 = 0
  private let progress: (_ bytes: UInt64) -> Void

  /// - Parameter path: The path of the tree, for messages.
  init(
    _ tree: consuming FolderHandle, path: String,
    progress: @escaping (_ bytes: UInt64) -> Void
  ) {
    self.tree = OpenFolder("", tree)
    self.path = path
    self.progress = progress
  }

  mutating func begin(_ entry: PackageEntry) throws(ContentError) {
    let parts = entry.path.split(separator: "/").map(String.init).filter { $0 != "." }
    // The package's root is the tree.
    guard let name = parts.last else { return }
    let folder = try folder(of: parts.dropLast())
    do throws(FolderError) {
      switch entry.kind {
      case .folder: _ = try folder.handle.folderMade(name)
      case .file: small = (folder, name, [])
      case .link(let target): try folder.handle.makeLink(name, to: target)
      case .hardLink(let target):
        let parts = target.split(separator: "/").map(String.init).filter { $0 != "." }
        guard let first = parts.last else { return }
        try files.wait()
        let other = try Self.walk(from: tree, parts.dropLast())
        try (other ?? tree).handle.makeHardLink(to: first, in: folder.handle, as: name)
      case .special: preconditionFailure("the check refuses special files")
      }
    } catch {
      throw ContentError(error, at: path)
    }
  }

  mutating func take(_ bytes: ArraySlice<UInt8>) throws(ContentError) {
    do throws(FolderError) {
      try write(bytes)
    } catch {
      throw ContentError(error, at: path)
    }
    self.bytes += UInt64(bytes.count)
    progress(self.bytes)
  }

  private mutating func write(_ bytes: ArraySlice<UInt8>) throws(FolderError) {
    if let count = small?.bytes.count, count + bytes.count < SmallFiles.bytesMax {
      small?.bytes += bytes
      return
    }
    if let known = small {
      small = nil
      let staged = StagedFile(try known.folder.handle.makeFile(known.name))
      if !known.bytes.isEmpty { try staged.write(known.bytes[...]) }
      file = staged
    }
    try file?.write(bytes)
  }

  mutating func end() throws(ContentError) {
    do throws(FolderError) {
      if let small { try files.make(small.name, of: small.bytes, in: small.folder) }
      small = nil
      try file?.finish()
      file = nil
    } catch {
      throw ContentError(error, at: path)
    }
  }

  /// Waits until nothing is being written, before an install is undone.
  func waitUntilIdle() { files.waitUntilIdle() }

  /// Waits until everything is written, before the tree is moved.
  func wait() throws(ContentError) {
    do throws(FolderError) { try files.wait() } catch { throw ContentError(error, at: path) }
  }

  /// Returns the folder of an entry, creating it if it is missing. The folders on the path stay
  /// open, because entries of one folder usually follow one another.
  private mutating func folder(
    of parts: ArraySlice<String>
  ) throws(ContentError) -> OpenFolder {
    var common = 0
    for (part, folder) in zip(parts, opened) {
      guard folder.name == part else { break }
      common += 1
    }
    opened.removeSubrange(common...)
    for part in parts.dropFirst(common) {
      let parent = opened.last ?? tree
      do throws(FolderError) {
        opened.append(OpenFolder(part, try parent.handle.folderMade(part)))
      } catch {
        throw ContentError(error, at: path)
      }
    }
    return opened.last ?? tree
  }

  /// Returns the existing folder at a path; nil for an empty path.
  private static func walk(
    from tree: OpenFolder, _ parts: ArraySlice<String>
  ) throws(FolderError) -> OpenFolder? {
    var folder: OpenFolder?
    for part in parts { folder = OpenFolder(part, try (folder ?? tree).handle.folder(part)) }
    return folder
  }
}

/// A folder that stays open as long as it is referenced.
final class OpenFolder: Sendable {
  let name: String
  let handle: FolderHandle

  init(_ name: String, _ handle: consuming FolderHandle) {
    self.name = name
    self.handle = handle
  }
}
