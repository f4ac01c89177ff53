/// A file or folder at a path, open for one pass.
public enum OpenedFile {
  case folder(FolderReader)
  case archive(ArchiveReader)
  /// A file of an unknown kind.
  case other

  /// Opens the file or folder at a path. A link is followed.
  ///
  /// - Throws: ``PackageFileError`` if it is missing, unreadable or broken.
  public static func open(path: String) throws(PackageFileError) -> OpenedFile {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw PackageFileError(.missing, path: path, "a path must not be empty or contain a NUL.")
    }
    let file = try ReadFile(Array(path.utf8), follows: true, path: path)
    if file.state.type == .folder { return .folder(try FolderReader(path: path)) }
    if let archive = try ArchiveReader(file) { return .archive(archive) }
    return .other
  }
}
