/// Takes what a package holds while it is judged, up to the first fault: what copies it.
public protocol PackageSink: ~Copyable {
  /// An entry that may be written: it was judged safe, and so was everything before it.
  mutating func begin(_ entry: PackageEntry) throws(ContentError)

  /// What comes next of the entry's data; it is judged after it was given here.
  mutating func take(_ bytes: ArraySlice<UInt8>) throws(ContentError)

  /// The entry's data is whole, and is what the package stated of it.
  mutating func end() throws(ContentError)
}

/// Takes nothing.
public struct NoPackageSink: PackageSink {
  public init() {}
  /// Takes nothing.
  public mutating func begin(_ entry: PackageEntry) throws(ContentError) {}
  /// Takes nothing.
  public mutating func take(_ bytes: ArraySlice<UInt8>) throws(ContentError) {}
  /// Takes nothing.
  public mutating func end() throws(ContentError) {}
}
