internal import LedgerEvents

/// The identity that a package states, read before the package is checked.
///
/// The product must be known before anything is copied, but a package may state it only after
/// gigabytes of files. So this searches the entries for `ContentInfo.plist` and skips their
/// contents. The copy reads the identity once more, and both must agree.
struct PackageIdentity: Hashable {
  let product: Name
  let version: Name

  /// Returns nil if the package does not state it. The check then says why.
  ///
  /// - Throws: ``ContentError`` if the package cannot be read.
  init?(
    of path: String, product expected: Name?, _ isolation: PackageIsolation
  ) throws(ContentError) {
    var package = try OpenedPackage(path: path, isolation: isolation)
    guard let bytes = try ContentInfo.bytes(in: &package), let found = Self.read(bytes) else {
      return nil
    }
    if let expected, found.product != expected { return nil }
    self.init(product: found.product, version: found.version)
  }

  init(product: Name, version: Name) {
    self.product = product
    self.version = version
  }

  private static func read(_ bytes: [UInt8]) -> (product: Name, version: Name)? {
    guard bytes.count <= PackageLimits().infoBytesMax, let info = ContentInfo.read(bytes).info,
      case .text(let product) = info.product, case .text(let version) = info.version,
      !product.isEmpty, !version.isEmpty
    else { return nil }
    return (Name(product), Name(version))
  }
}

extension ContentKeeper {
  /// Returns the total size of a package's files in bytes, as its entries state them, before
  /// anything has been checked. This is the expected length of a copy. If it exceeds the limit for
  /// packages, the result is any number above the limit.
  ///
  /// - Complexity: O(*n*) in the number of entries; their data is skipped.
  /// - Throws: ``ContentError`` if the package cannot be read.
  public static func bytes(
    ofPackage path: String, isolation: PackageIsolation = .none
  ) throws(ContentError) -> UInt64 {
    var package = try OpenedPackage(path: path, isolation: isolation)
    let limits = PackageLimits()
    var total: UInt64 = 0
    var left = limits.entriesMax
    while left > 0, total <= limits.bytesMax, let entry = try package.next() {
      left -= 1
      if case .file(let bytes) = entry.kind { total += min(bytes ?? 0, limits.bytesMax + 1) }
    }
    return total
  }
}
