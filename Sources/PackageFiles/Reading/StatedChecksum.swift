/// A checksum that a xar states for a part of its file and that libarchive does not compare,
/// because it supports only MD5 and SHA-1.
public struct StatedChecksum: Sendable, Hashable {
  /// The algorithm of the digest (FIPS 180-4).
  public enum Algorithm: String, Sendable, Hashable {
    case sha256
    case sha512

    /// The size of a digest in bytes.
    public var byteCount: Int { self == .sha256 ? 32 : 64 }
  }

  public var algorithm: Algorithm
  /// The part's offset in the file and its length, in bytes.
  public var offset: UInt64
  public var length: UInt64
  public var digest: [UInt8]
}
