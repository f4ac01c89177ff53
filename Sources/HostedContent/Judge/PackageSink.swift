/// Receives the contents of a package while it is checked, up to the first fault, for example to
/// copy them.
public protocol PackageSink: ~Copyable {
  /// Receives an entry that may be written. The entry is safe, and so is everything before it.
  mutating func begin(_ entry: PackageEntry) throws(ContentError)

  /// Receives the next piece of the entry's data. The piece is checked after this call.
  mutating func take(_ bytes: ArraySlice<UInt8>) throws(ContentError)

  /// Ends the entry. Its data is complete and matches what the package stated.
  mutating func end() throws(ContentError)
}

/// A sink that ignores everything.
public struct NoPackageSink: PackageSink {
  public init() {}
  /// Ignores the entry.
  public mutating func begin(_ entry: PackageEntry) throws(ContentError) {}
  /// Ignores the data.
  public mutating func take(_ bytes: ArraySlice<UInt8>) throws(ContentError) {}
  /// Ignores the end of the entry.
  public mutating func end() throws(ContentError) {}
}
