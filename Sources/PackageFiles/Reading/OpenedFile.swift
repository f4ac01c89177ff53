/// A file or folder at a path, open for one pass.
public enum OpenedFile {
  case folder(FolderReader)
  case archive(ArchiveReader)
  /// A file of an unknown kind.
  case other

  /// Opens what is at a path. A link is followed.
  ///
  /// - Throws: ``PackageFileError``: missing, unreadable, or broken.
  public static func open(path: String) throws(PackageFileError) -> OpenedFile {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw PackageFileError(.missing, path: path, "A path is not empty and holds no zero byte.")
    }
    let file = try ReadFile(Array(path.utf8), follows: true, path: path)
    if file.state.type == .folder { return .folder(try FolderReader(path: path)) }
    if let archive = try ArchiveReader(file) { return .archive(archive) }
    return .other
  }
}
