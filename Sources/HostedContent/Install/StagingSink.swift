internal import PackageFiles

/// Writes a package into a folder that nobody sees yet, while it is judged.
///
/// Every file is a new one; nothing is overwritten, no link is followed, and a path that would lead
/// out of the folder is refused here once more, whatever was judged before.
struct StagingSink: PackageSink, ~Copyable {
  private let tree: OpenFolder
  private let path: String
  /// The folders from the tree down to the one that the last entry lies in.
  private var opened: [OpenFolder] = []
  private var file: StagedFile?
  private(set) var bytes: UInt64 = 0
  private let progress: (_ bytes: UInt64) -> Void

  /// - Parameter path: of the tree, for people.
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
    // The package's own folder is the tree.
    guard let name = parts.last else { return }
    let folder = try folder(of: parts.dropLast())
    do throws(FolderError) {
      switch entry.kind {
      case .folder: _ = try folder.handle.folderMade(name)
      case .file: file = StagedFile(try folder.handle.makeFile(name))
      case .link(let target): try folder.handle.makeLink(name, to: target)
      case .hardLink(let target):
        let parts = target.split(separator: "/").map(String.init).filter { $0 != "." }
        guard let first = parts.last else { return }
        let other = try Self.walk(from: tree, parts.dropLast())
        try (other ?? tree).handle.makeHardLink(to: first, in: folder.handle, as: name)
      case .special: preconditionFailure("a device is never judged safe")
      }
    } catch {
      throw ContentError(error, at: path)
    }
  }

  mutating func take(_ bytes: ArraySlice<UInt8>) throws(ContentError) {
    let place = path
    do throws(FolderError) {
      try file?.write(bytes)
    } catch {
      throw ContentError(error, at: place)
    }
    self.bytes += UInt64(bytes.count)
    progress(self.bytes)
  }

  mutating func end() throws(ContentError) {
    guard let written = file else { return }
    file = nil
    do throws(FolderError) {
      try written.finish()
    } catch {
      throw ContentError(error, at: path)
    }
  }

  /// The folder of an entry, made where it is missing; entries of one folder follow one another, so
  /// that those on the way stay open.
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

  /// The folder at a path that is there; nil for none.
  private static func walk(
    from tree: OpenFolder, _ parts: ArraySlice<String>
  ) throws(FolderError) -> OpenFolder? {
    var folder: OpenFolder?
    for part in parts { folder = OpenFolder(part, try (folder ?? tree).handle.folder(part)) }
    return folder
  }
}

/// A folder that stays open for as long as somebody needs it.
private final class OpenFolder {
  let name: String
  let handle: FolderHandle

  init(_ name: String, _ handle: consuming FolderHandle) {
    self.name = name
    self.handle = handle
  }
}
