internal import Crypto
internal import PackageFiles

/// An open package of any format, for one pass from front to back.
public struct OpenedPackage: PackageReader, ~Copyable {
  private enum Source {
    case folder(FolderReader)
    case archive(any ArchiveReading)
  }

  public let format: PackageFormat
  /// The path as passed by the caller.
  public let path: String
  /// The size of the container in bytes; nil for a folder.
  public let packedBytes: UInt64?
  private let source: Source

  /// Opens a package. The format is detected from the file's first bytes.
  ///
  /// - Parameters:
  ///   - path: The path of a folder, a `.pkg` or a zip.
  ///   - isolation: Where a container is parsed.
  /// - Throws: ``ContentError``: missing, unreadable, or of an unknown kind.
  public init(
    path: String, isolation: PackageIsolation = .none
  ) throws(ContentError) {
    self.path = path
    let opened: OpenedFile
    do throws(PackageFileError) {
      opened = try OpenedFile.open(path: path, isolation: isolation.ofArchives)
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

  /// Opens a package from an open folder, whatever is at its path now.
  init(_ folder: borrowing FolderHandle, path: String) throws(ContentError) {
    self.path = path
    format = .folder
    packedBytes = nil
    do throws(PackageFileError) {
      source = .folder(try FolderReader(folder, path: path))
    } catch {
      throw ContentError(error)
    }
  }

  /// - Complexity: O(*n* log *n*) in the names of a folder that is entered, otherwise O(1). The
  ///   first call for a container also reads its table.
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

  /// Reads a folder's names, sizes and times again. For a container, checks that its file is
  /// unchanged, and compares the checksums that libarchive does not support.
  ///
  /// - Throws: ``ContentError``: `changed`; `malformed` if a checksum differs.
  public mutating func checkUnchanged() throws(ContentError) {
    do throws(PackageFileError) {
      switch source {
      case .folder(let reader): try reader.checkUnchanged()
      case .archive(let reader):
        for checksum in reader.checksums {
          let digest =
            switch checksum.algorithm {
            case .sha256: try Self.digest(of: checksum, in: reader, SHA256())
            case .sha512: try Self.digest(of: checksum, in: reader, SHA512())
            }
          guard digest == checksum.digest else { throw reader.damage(checksum, path: path) }
        }
        try reader.checkUnchanged()
      }
    } catch {
      throw ContentError(error)
    }
  }

  /// The number of bytes that are hashed at once.
  private static let hashedBytes = 1 << 20

  private static func digest(
    of checksum: StatedChecksum, in reader: any ArchiveReading, _ empty: some HashFunction
  ) throws(PackageFileError) -> [UInt8] {
    var hasher = empty
    var done: UInt64 = 0
    while done < checksum.length {
      let count = Int(min(UInt64(hashedBytes), checksum.length - done))
      let bytes = try reader.containerBytes(at: checksum.offset + done, count: count)
      // If the file was cut off, the digest differs.
      if bytes.isEmpty { break }
      hasher.update(data: bytes)
      done += UInt64(bytes.count)
    }
    return Array(hasher.finalize())
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
