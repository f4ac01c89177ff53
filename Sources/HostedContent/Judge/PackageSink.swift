/// Takes the contents of a package while it is checked, up to the first fault, in order to copy
/// them.
public protocol PackageSink: ~Copyable {
  /// Takes an entry that may be written. It is safe, and so is everything before it.
  mutating func begin(_ entry: PackageEntry) throws(ContentError)

  /// Takes the next piece of the entry's data. The piece is checked after this call.
  mutating func take(_ bytes: ArraySlice<UInt8>) throws(ContentError)

  /// Ends the entry. Its data is complete, and is what the package stated.
  mutating func end() throws(ContentError)
}

/// Ignores it.
public struct NoPackageSink: PackageSink {
  public init() {}
  /// Ignores it.
  public mutating func begin(_ entry: PackageEntry) throws(ContentError) {}
  /// Ignores it.
  public mutating func take(_ bytes: ArraySlice<UInt8>) throws(ContentError) {}
  /// Ignores it.
  public mutating func end() throws(ContentError) {}
}
