#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// An open folder with its names, sorted by their bytes.
final class FolderListing {
  /// A name and its kind as listed by the folder, which can be unknown.
  struct Name {
    let bytes: [UInt8]
    let type: UInt8
  }

  let descriptor: Int32
  let path: [UInt8]
  private(set) var names: [Name] = []
  private(set) var position = 0

  /// - Parameter path: The folder's path in the package, which is prepended to its entries.
  init(
    _ name: borrowing [UInt8], in parent: Int32 = AT_FDCWD, follows: Bool, path: [UInt8],
    named text: String
  ) throws(PackageFileError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW)
    let descriptor = retryingInterrupted { () -> Int32 in
      // SAFETY: openat reads the NUL-terminated name during the call.
      unsafe withName(name) { unsafe openat(parent, $0, flags) }
    }
    guard descriptor >= 0 else { throw PackageFileError.system("open the folder", text) }
    self.descriptor = descriptor
    self.path = path
    do throws(PackageFileError) {
      names = try Self.names(in: descriptor, text)
    } catch {
      close(descriptor)
      throw error
    }
    names.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  deinit { close(descriptor) }

  func next() -> Name? {
    guard position < names.count else { return nil }
    position += 1
    return names[position - 1]
  }

  private static func names(
    in folder: Int32, _ path: String
  ) throws(PackageFileError) -> [Name] {
    // Use a copy: fdopendir takes ownership of it, and the original stays open.
    let own = dup(folder)
    guard own >= 0 else { throw PackageFileError.system("open the folder", path) }
    // SAFETY: the stream is closed below on every path.
    guard let stream = unsafe fdopendir(own) else {
      let error = PackageFileError.system("open the folder", path)
      close(own)
      throw error
    }
    defer { unsafe closedir(stream) }
    var names: [Name] = []
    while true {
      errno = 0
      // SAFETY: the entry is read before the next call on the stream.
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw PackageFileError.system("list the folder", path) }
        return names
      }
      let bytes = unsafe nameBytes(of: entry)
      if bytes == [UInt8(ascii: ".")] || bytes == Array("..".utf8) { continue }
      names.append(unsafe Name(bytes: bytes, type: entry.pointee.d_type))
    }
  }

  private static func nameBytes(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    // SAFETY: the name is NUL-terminated within the entry.
    unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
      unsafe name.withMemoryRebound(
        to: UInt8.self, capacity: MemoryLayout.size(ofValue: name.pointee)
      ) {
        start in
        var bytes: [UInt8] = []
        var index = 0
        while unsafe start[index] != 0 {
          unsafe bytes.append(start[index])
          index += 1
        }
        return bytes
      }
    }
  }
}
