/// The limits for a package, each with its unit.
public struct PackageLimits: Sendable {
  /// Bytes of a package, packed and unpacked: the store takes packages of 2 GB at most. Its
  /// gigabytes are decimal ones.
  public var bytesMax: UInt64 = 2_000_000_000
  /// Entries of a package, folders among them: what is remembered of each is some hundred bytes.
  public var entriesMax = 200_000
  /// How many times its packed size a container may unpack to. Deflate makes a thousand zeros of
  /// one byte; media is packed already and hardly gets smaller.
  public var expansionMax: UInt64 = 200
  /// Bytes that may be unpacked before ``expansionMax`` is asked for: small texts pack well.
  public var expansionFreeBytes: UInt64 = 64 * 1024 * 1024
  /// Bytes of a path: PATH_MAX of Darwin, less what stands before it where it is installed.
  public var pathBytesMax = 900
  /// Bytes of one name of a path: NAME_MAX of every file system.
  public var nameBytesMax = 255
  /// Bytes of `ContentInfo.plist`: two short texts.
  public var infoBytesMax = 64 * 1024
  /// Faults that are listed; more are counted.
  public var faultsMax = 1_000

  public init() {}
}
