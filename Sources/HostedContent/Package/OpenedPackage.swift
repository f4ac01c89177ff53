internal import PackageFiles

/// An open package of any format, for one pass from front to back.
public struct OpenedPackage: PackageReader, ~Copyable {
  private enum Source {
    case folder(FolderReader)
    case archive(ArchiveReader)
  }

  public let format: PackageFormat
  /// The path as passed by the caller.
  public let path: String
  /// The size of the container in bytes; nil for a folder.
  public let packedBytes: UInt64?
  private let source: Source

  /// Opens a package. The format is detected from the file's first bytes.
  ///
  /// - Throws: ``ContentError`` if the package is missing, unreadable or of an unknown format.
  public init(path: String) throws(ContentError) {
    self.path = path
    let opened: OpenedFile
    do throws(PackageFileError) {
      opened = try OpenedFile.open(path: path)
    } catch {
      throw ContentError(error)
    }
    switch opened {
    case .folder(let reader):
      format = .folder
      packedBytes = nil
      source = .folder(reader)
    case .archive(let reader):
      format = reader.format == .xar ? .pkg : .zip
      packedBytes = reader.containerBytes
      source = .archive(reader)
    case .other:
      throw ContentError(
        .malformed, path: path,
        "is not a package: expected a folder, a .pkg (begins with xar!) or a zip (begins with PK).")
    }
  }

  /// - Complexity: O(*n* log *n*) in the number of names when a folder is entered, otherwise O(1).
  ///   The first call reads the table of a container.
  public mutating func next() throws(ContentError) -> PackageEntry? {
    do throws(PackageFileError) {
      switch source {
      case .folder(let reader): return try reader.next().map { PackageEntry($0) }
      case .archive(let reader): return try reader.next().map { PackageEntry($0) }
      }
    } catch {
      throw ContentError(error)
    }
  }

  /// - Complexity: O(*n*) in the number of bytes read.
  public mutating func read(into buffer: inout [UInt8]) throws(ContentError) -> Int {
    do throws(PackageFileError) {
      switch source {
      case .folder(let reader): return try reader.read(into: &buffer)
      case .archive(let reader): return try reader.read(into: &buffer)
      }
    } catch {
      throw ContentError(error)
    }
  }

  /// Reads a folder's names, sizes and times once more; for a container, checks the state of its
  /// file.
  public mutating func checkUnchanged() throws(ContentError) {
    do throws(PackageFileError) {
      switch source {
      case .folder(let reader): try reader.checkUnchanged()
      case .archive(let reader): try reader.checkUnchanged()
      }
    } catch {
      throw ContentError(error)
    }
  }
}

extension ContentError {
  /// Converts an error of the underlying library.
  init(_ error: PackageFileError) {
    let code: Code =
      switch error.kind {
      case .missing: .missing
      case .system: .inputOutput
      case .malformed: .malformed
      case .changed: .changed
      }
    self.init(code, path: error.path, error.message)
  }
}

extension PackageEntry {
  init(_ raw: RawEntry) {
    let path = String(validating: raw.path, as: UTF8.self)
    let kind: Kind =
      switch raw.kind {
      case .file(let bytes): .file(bytes: bytes)
      case .folder: .folder
      case .link(let target): .link(target: String(decoding: target, as: UTF8.self))
      case .hardLink(let target): .hardLink(target: String(decoding: target, as: UTF8.self))
      case .special(let name): .special(name)
      }
    self.init(
      path: path ?? String(decoding: raw.path, as: UTF8.self),
      isPathValid: path != nil && raw.isPathWhole, kind: kind, permissions: raw.permissions)
  }
}
