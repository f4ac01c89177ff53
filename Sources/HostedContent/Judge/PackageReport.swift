public import LedgerEvents

/// A file or a link of a package, as the digest counts it.
public struct PackageFile: Hashable, Sendable {
  /// What is at the path.
  public enum Content: Hashable, Sendable {
    /// A file: its size in bytes and the SHA-256 of them. Another name of a file (a hard link) is
    /// a file here with the same bytes.
    case file(bytes: UInt64, digest: ContentDigest)
    /// A symbolic link and the path that it holds.
    case link(target: String)
  }

  /// The path from the package's root, parts with `/` between: `Contents/a.png`.
  public var path: String
  public var content: Content

  public init(path: String, content: Content) {
    self.path = path
    self.content = content
  }

  /// Bytes of a file, 0 of a link.
  public var bytes: UInt64 {
    switch content {
    case .file(let bytes, _): bytes
    case .link: 0
    }
  }
}

/// What a check found out about a package, with all its faults.
public struct PackageReport: Sendable {
  /// What `ContentInfo.plist` states; nil if it does not.
  public var product: Name?
  /// What `ContentInfo.plist` states; nil if it does not.
  public var version: Name?
  /// Files and links, sorted by the bytes of their paths. Folders are not listed.
  public var files: [PackageFile]
  /// The total size of all files in bytes.
  public var bytes: UInt64
  /// The digest of the content. It is the same for a folder, a pkg and a zip: see
  /// ``PackageManifest``.
  public var digest: ContentDigest
  /// What is wrong, in the order in which it was found; empty if the package is good.
  public var faults: [PackageFault]
  /// Faults beyond ``PackageLimits/faultsMax``, counted only.
  public var faultsLeftOff: Int

  public var isValid: Bool { faults.isEmpty }
}
