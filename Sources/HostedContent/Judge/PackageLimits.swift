/// The limits for a package.
public struct PackageLimits: Sendable {
  /// The maximum size of a package in bytes, packed and unpacked. The store accepts packages of up
  /// to 2 GB, in decimal gigabytes.
  public var bytesMax: UInt64 = 2_000_000_000
  /// The maximum number of entries in a package, including folders. Each takes a few hundred bytes
  /// of memory.
  public var entriesMax = 200_000
  /// The maximum ratio of unpacked to packed size. Deflate can make one byte from a thousand zeros,
  /// but media files are already compressed and hardly get smaller.
  public var expansionMax: UInt64 = 200
  /// The number of bytes that may be unpacked before ``expansionMax`` applies, because small texts
  /// compress well.
  public var expansionFreeBytes: UInt64 = 64 * 1024 * 1024
  /// The maximum length of a path in bytes: Darwin's PATH_MAX, less the path of the folder for
  /// installed content.
  public var pathBytesMax = 900
  /// The maximum length of a name in a path, in bytes: NAME_MAX of every file system.
  public var nameBytesMax = 255
  /// The maximum size of `ContentInfo.plist` in bytes. It contains two short strings.
  public var infoBytesMax = 64 * 1024
  /// The maximum number of faults that are listed. Further faults are only counted.
  public var faultsMax = 1_000

  public init() {}
}
