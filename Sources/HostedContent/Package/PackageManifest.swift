internal import Crypto
internal import Foundation

/// The list of a package's files, from which its digest is computed.
///
/// It has one line for each file and link, sorted by the bytes of the path. Each line ends with a
/// zero byte:
///
///     <SHA-256 of the file's bytes, 64 digits><two spaces><path>\0
///     link:<SHA-256 of the target's bytes, 64 digits><two spaces><path>\0
///
/// Paths are in Unicode normalization form C (UAX #15), because containers and file systems can
/// change the form. Folders, permissions, times and owners are left out. Without links, the
/// manifest equals the output of `sha256sum -z` for the sorted files.
public enum PackageManifest {
  /// Returns the digest of a package: the SHA-256 of its manifest.
  ///
  /// - Complexity: O(*n* log *n*) in the number of files.
  public static func digest(of files: [PackageFile]) -> ContentDigest {
    var hasher = SHA256()
    for line in lines(of: files) { hasher.update(data: line) }
    return ContentDigest(hasher.finalize())
  }

  /// Returns the manifest's lines, sorted, each with its final zero byte.
  ///
  /// - Complexity: O(*n* log *n*) in the number of files.
  public static func lines(of files: [PackageFile]) -> [[UInt8]] {
    var named: [(path: [UInt8], file: PackageFile)] = files.map { file in
      (Array(normalForm(of: file.path).utf8), file)
    }
    named.sort { $0.path.lexicographicallyPrecedes($1.path) }
    return named.map { path, file in line(path: path, file.content) }
  }

  private static func line(path: [UInt8], _ content: PackageFile.Content) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(path.count + 2 * ContentDigest.byteCount + 8)
    switch content {
    case .file(_, let digest):
      line += digest.hexadecimalBytes
    case .link(let target):
      line += Array("link:".utf8)
      line += ContentDigest(SHA256.hash(data: Array(target.utf8))).hexadecimalBytes
    }
    line += [UInt8(ascii: " "), UInt8(ascii: " ")]
    line += path
    line.append(0)
    return line
  }

  /// Returns the path in normalization form C. An ASCII path already has it.
  private static func normalForm(of path: String) -> String {
    path.utf8.allSatisfy { $0 < 0x80 } ? path : path.precomposedStringWithCanonicalMapping
  }
}
