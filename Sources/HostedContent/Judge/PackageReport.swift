public import LedgerEvents

/// A file or a link in a package.
public struct PackageFile: Hashable, Sendable {
  /// The contents of a file or a link.
  public enum Content: Hashable, Sendable {
    /// A file with its size in bytes and the SHA-256 of its bytes. Another name of a file (a hard
    /// link) is represented as a file with the same bytes.
    case file(bytes: UInt64, digest: ContentDigest)
    /// A symbolic link and its target.
    case link(target: String)
  }

  /// The path from the package's root, with `/` between components: `Contents/a.png`.
  public var path: String
  public var content: Content

  public init(path: String, content: Content) {
    self.path = path
    self.content = content
  }

  /// The size of a file in bytes; 0 for a link.
  public var bytes: UInt64 {
    switch content {
    case .file(let bytes, _): bytes
    case .link: 0
    }
  }
}

/// The result of checking a package, with all its faults.
public struct PackageReport: Sendable {
  /// The product that `ContentInfo.plist` states; nil if it states none.
  public var product: Name?
  /// The version that `ContentInfo.plist` states; nil if it states none.
  public var version: Name?
  /// Files and links, sorted by the bytes of their paths. Folders are not listed.
  public var files: [PackageFile]
  /// The total size of all files in bytes.
  public var bytes: UInt64
  /// The digest of the content. It is the same for a folder, a pkg and a zip; see
  /// ``PackageManifest``.
  public var digest: ContentDigest
  /// The faults in the order in which they were found; empty if the package is valid.
  public var faults: [PackageFault]
  /// The number of faults beyond ``PackageLimits/faultsMax``.
  public var faultsLeftOff: Int

  public var isValid: Bool { faults.isEmpty }
}
