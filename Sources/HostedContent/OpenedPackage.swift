/// A package that is open for one reading from front to back, of whatever format.
public struct OpenedPackage: PackageReader, ~Copyable {
  public let format: PackageFormat
  /// The path as it was given.
  public let path: String
  /// Bytes of the container; nil of a folder.
  public let packedBytes: UInt64?

  /// Opens a package; what it is its first bytes tell.
  ///
  /// - Throws: ``ContentError``: missing, unreadable, or of no kind that is read.
  public init(path: String) throws(ContentError) {
    throw ContentError(.malformed, path: path, "no format is read")
  }

  public mutating func next() throws(ContentError) -> PackageEntry? { nil }

  public mutating func read(into buffer: inout [UInt8]) throws(ContentError) -> Int { 0 }

  public mutating func checkUnchanged() throws(ContentError) {}
}
