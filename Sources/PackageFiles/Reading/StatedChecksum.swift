/// A checksum that a xar states for a part of its file, and that libarchive does not compare: it
/// knows MD5 and SHA-1 only.
public struct StatedChecksum: Sendable, Hashable {
  /// How the digest is made (FIPS 180-4).
  public enum Algorithm: String, Sendable, Hashable {
    case sha256
    case sha512

    /// Bytes of a digest.
    public var byteCount: Int { self == .sha256 ? 32 : 64 }
  }

  public var algorithm: Algorithm
  /// Where the part begins in the file, and its length, in bytes.
  public var offset: UInt64
  public var length: UInt64
  public var digest: [UInt8]
}
