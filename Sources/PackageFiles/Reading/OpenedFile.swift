/// A file or folder at a path, open for one pass.
public enum OpenedFile {
  case folder(FolderReader)
  case archive(any ArchiveReading)
  /// A file of an unknown kind.
  case other

  /// Opens the file or folder at a path. A link is followed.
  ///
  /// - Parameters:
  ///   - path: The path of a file or folder.
  ///   - isolation: Where archives are parsed.
  /// - Throws: ``PackageFileError``: missing, unreadable, or broken.
  public static func open(
    path: String, isolation: ArchiveIsolation = .none
  ) throws(PackageFileError) -> OpenedFile {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw PackageFileError(.missing, path: path, "a path must not be empty or contain a NUL.")
    }
    let file = try ReadFile(Array(path.utf8), follows: true, path: path)
    if file.state.type == .folder { return .folder(try FolderReader(path: path)) }
    guard ContainerFormat(firstBytes: try file.bytes(at: 0, count: 4)) != nil else { return .other }
    switch isolation {
    case .none:
      guard let archive = try ArchiveReader(file) else { return .other }
      return .archive(archive)
    case .child(let command, let limits):
      return .archive(try IsolatedArchive(file, command: command, limits: limits))
    }
  }
}
