/// The limits for a package, each with its unit.
public struct PackageLimits: Sendable {
  /// The largest package in bytes, packed and unpacked. The store accepts packages of up to 2 GB,
  /// in decimal gigabytes.
  public var bytesMax: UInt64 = 2_000_000_000
  /// The most entries of a package, including folders. Each takes a few hundred bytes of memory.
  public var entriesMax = 200_000
  /// How many times its packed size a container may unpack to. Deflate can make one byte from a
  /// thousand zeros, but media files are compressed already and hardly get smaller.
  public var expansionMax: UInt64 = 200
  /// How many bytes may be unpacked before ``expansionMax`` applies, because small texts compress
  /// well.
  public var expansionFreeBytes: UInt64 = 64 * 1024 * 1024
  /// The longest path in bytes: Darwin's PATH_MAX, less the path of the folder where it is
  /// installed.
  public var pathBytesMax = 900
  /// The longest name in a path, in bytes: NAME_MAX of every file system.
  public var nameBytesMax = 255
  /// The largest `ContentInfo.plist` in bytes. It holds two short texts.
  public var infoBytesMax = 64 * 1024
  /// The most faults that are listed. Any further ones are only counted.
  public var faultsMax = 1_000

  public init() {}
}
