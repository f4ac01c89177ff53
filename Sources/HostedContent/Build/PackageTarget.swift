internal import PackageFiles

/// The destination of a package: a hidden file that gets its name at the end.
struct PackageTarget: ~Copyable {
  private let path: String
  private let folderPath: String
  private let name: String
  private let replaces: Bool
  private let folder: FolderHandle

  init(path: String, replaces: Bool) throws(ContentError) {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    name = String(end.map { path[path.utf8.index(after: $0)...] } ?? path[...])
    folderPath = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    self.path = path
    self.replaces = replaces
    guard !name.isEmpty, name != ".", name != ".." else {
      throw ContentError(.missing, path: path, "is not a file name: name the package to write.")
    }
    folder = try Self.folder(folderPath, toWrite: name, path, replaces)
  }

  private static func folder(
    _ folderPath: String, toWrite name: String, _ path: String, _ replaces: Bool
  ) throws(ContentError) -> FolderHandle {
    do throws(FolderError) {
      let folder = try FolderHandle(path: folderPath)
      guard let kind = try folder.kind(of: name) else { return folder }
      if case .file = kind, replaces { return folder }
    } catch {
      throw ContentError(error, at: folderPath)
    }
    throw ContentError(
      .exists, path: path, "already exists: use another name, or pass --force to replace a file.")
  }

  /// Writes the hidden file, syncs it and renames it.
  func write(
    _ body: (inout PackageOutput) throws(ContentError) -> Void
  ) throws(ContentError) {
    let temporary = ".\(name.prefix(100)).\(UInt64.random(in: 0 ... .max)).partial"
    do throws(ContentError) {
      var output = PackageOutput(
        try telling(folderPath) { () throws(FolderError) in try folder.makeFile(temporary) },
        folder: folderPath)
      try body(&output)
      try output.finish()
      try telling(folderPath) { () throws(FolderError) in
        if replaces {
          try folder.replace(name, by: temporary)
        } else {
          try folder.move(temporary, to: folder, as: name)
        }
        try folder.sync()
      }
    } catch {
      do throws(FolderError) {
        if try folder.kind(of: temporary) != nil { try folder.removeFile(temporary) }
      } catch let second {
        throw ContentError(
          error.code, path: error.path,
          "\(error.message) \(folderPath)/\(temporary) is left over: \(second.reason)."
        )
      }
      throw error
    }
  }
}

/// A file that is written in large pieces.
struct PackageOutput: ~Copyable {
  /// The number of bytes to collect before they are written.
  private static let pieceBytes = 1024 * 1024

  private let file: FileWriter
  private let folder: String
  private var pending: [UInt8] = []

  init(_ file: consuming FileWriter, folder: String) {
    self.file = file
    self.folder = folder
    pending.reserveCapacity(2 * Self.pieceBytes)
  }

  mutating func write(_ bytes: some Collection<UInt8>) throws(ContentError) {
    pending += bytes
    if pending.count >= Self.pieceBytes { try flush() }
  }

  private mutating func flush() throws(ContentError) {
    do throws(FolderError) {
      try file.write(pending.span)
    } catch {
      throw ContentError(error, at: folder)
    }
    pending.removeAll(keepingCapacity: true)
  }

  consuming func finish() throws(ContentError) {
    try flush()
    do throws(FolderError) {
      try file.sync()
      try file.finish()
    } catch {
      throw ContentError(error, at: folder)
    }
  }
}
