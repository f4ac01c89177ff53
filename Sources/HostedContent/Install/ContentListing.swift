public import LedgerEvents
internal import LedgerModel
internal import PackageFiles

/// The contents of a folder of installed content.
public struct ContentListing: Sendable {
  /// A product that has a folder.
  public struct Product: Sendable {
    public var product: Name
    /// The version that `current` leads to, whether or not it exists; nil if there is no link.
    public var current: Name?
    /// The versions, newest first.
    public var versions: [Version]
  }

  /// A version that has a folder.
  public struct Version: Sendable {
    public var version: Name
    /// The total size of all files including `ContentInfo.plist`, in bytes.
    public var bytes: UInt64
    public var files: Int
    public var isCurrent: Bool
    /// The digest; nil if it was not requested.
    public var digest: ContentDigest?
    /// The faults of the version as a package; empty if its content was not read.
    public var faults: [PackageFault]
  }

  public var products: [Product]
  /// Paths, from the root, of everything that is neither a product nor a version nor Daybook's own.
  public var strays: [String]
  /// The number of attempts that were interrupted or are in progress.
  public var unfinished: Int

  /// Lists a folder of content without changing it.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - readsContent: Whether to compute digests, which reads every byte.
  /// - Complexity: O(*n*) in the files, and in their bytes if the content is read.
  /// - Throws: ``ContentError``: `missing` if there is no such folder.
  public init(of path: String, readsContent: Bool = false) throws(ContentError) {
    let root = try ContentRoot(reading: path)
    products = []
    strays = try root.strays()
    unfinished = try root.attemptsLeft().count
    for product in try root.products() {
      strays += try root.strays(of: product)
      // If something other than a link has the link's name, it is a stray.
      let current = try root.hasCurrentLink(product) ? root.currentVersion(of: product) : nil
      var versions: [Version] = []
      let names = try root.versions(of: product).sorted { VersionOrder.compare($0, $1) > 0 }
      for name in names {
        let size = try root.size(of: product, name)
        var version = Version(
          version: name, bytes: size.bytes, files: size.files, isCurrent: name == current,
          digest: nil, faults: [])
        if readsContent {
          let report = try root.judge(
            product, name, expecting: PackageExpectations(product: product))
          version.digest = report.digest
          version.faults = report.faults
          if report.version != name {
            version.faults.append(
              PackageFault(
                .badVersion, path: ContentInfo.fileName,
                "it states version \(report.version?.text ?? "none") in the folder of "
                  + "\(name.text)."))
          }
        }
        versions.append(version)
      }
      // A folder that an install created but did not fill is not a product.
      if versions.isEmpty && current == nil { continue }
      products.append(Product(product: product, current: current, versions: versions))
    }
  }
}

extension ContentRoot {
  /// Returns the entries in the root that are not products.
  fileprivate func strays() throws(ContentError) -> [String] {
    try telling(path) { () throws(FolderError) in
      var strays = try folder.namesThatAreNotUTF8()
      for name in try folder.namesInUTF8() where name != ContentName.workArea {
        let kind = try folder.kind(of: name)
        if name.hasPrefix(".") || kind != .folder { strays.append(name) }
      }
      return strays
    }
  }

  /// Returns the entries in a product's folder that are not versions.
  fileprivate func strays(of product: Name) throws(ContentError) -> [String] {
    guard let versions = try productFolder(product) else { return [] }
    return try telling(path(of: product)) { () throws(FolderError) in
      var strays = try versions.namesThatAreNotUTF8()
      for name in try versions.namesInUTF8() {
        let kind = try versions.kind(of: name)
        let belongs = name == ContentName.current ? kind == .link : kind == .folder
        if name.hasPrefix(".") || !belongs { strays.append(name) }
      }
      return strays.map { product.text + "/" + $0 }
    }
  }

  /// Whether the name `current` in the product's folder belongs to a link.
  fileprivate func hasCurrentLink(_ product: Name) throws(ContentError) -> Bool {
    guard let versions = try productFolder(product) else { return false }
    return try telling(path(of: product)) { () throws(FolderError) in
      try versions.kind(of: ContentName.current) == .link
    }
  }

  fileprivate func size(
    of product: Name, _ version: Name
  ) throws(ContentError) -> (bytes: UInt64, files: Int) {
    guard let versions = try productFolder(product) else { return (0, 0) }
    return try telling(path(of: product, version)) { () throws(FolderError) in
      try versions.folder(version.text).size()
    }
  }
}
