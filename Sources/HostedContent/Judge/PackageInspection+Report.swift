internal import Foundation
internal import LedgerEvents
internal import LedgerModel

extension PackageInspection {
  /// The version of a product's first content.
  private static let firstVersion: Name = "1.0"
  /// The maximum number of digits in a part of a version, so that every reader can parse it as a
  /// number.
  private static let versionPartDigitsMax = 9
  /// The maximum length of a product identifier in bytes. It becomes the name of the folder for the
  /// installed content.
  private static let productBytesMax = 255

  /// Ends the check, and returns the report.
  ///
  /// - Complexity: O(*n* log *n*) in the number of entries.
  public consuming func report() -> PackageReport {
    precondition(current == nil, "report() was called before endEntry()")
    for fault in levels.faults() { add(fault.code, fault.path, fault.message) }
    judgeLinks()
    let (product, version) = judgeInfo()
    files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    return PackageReport(
      product: product, version: version, files: files,
      bytes: files.reduce(0) { $0 &+ $1.bytes }, digest: PackageManifest.digest(of: files),
      faults: faults, faultsLeftOff: faultsLeftOff)
  }

  private mutating func judgeInfo() -> (product: Name?, version: Name?) {
    guard levels.isInfoFile, wantsData || info?.isEmpty == false else { return (nil, nil) }
    guard let bytes = info else {
      add(
        .infoTooLarge, ContentInfo.fileName,
        "is larger than \(limits.infoBytesMax) bytes, but should contain only two short strings.")
      return (nil, nil)
    }
    let (read, reason) = ContentInfo.read(bytes)
    guard let read else {
      add(
        .infoUnreadable, ContentInfo.fileName,
        "\(reason): write a dictionary with ContentVersion and IAPProductIdentifier.")
      return (nil, nil)
    }
    let product = text(read.product, ContentInfo.productKey).map { Name($0) }
    let version = text(read.version, ContentInfo.versionKey).map { Name($0) }
    let isGood = product.map { judge(product: $0) } ?? false
    if let version { judge(version: version, of: isGood ? product : nil) }
    return (product, version)
  }

  private mutating func text(_ value: ContentInfo.Value, _ key: String) -> String? {
    switch value {
    case .text(let text): return text
    case .missing:
      add(.keyMissing, ContentInfo.fileName, "has no \(key): add it as a string.")
    case .other(let type):
      add(
        .keyWrongType, ContentInfo.fileName,
        "\(key) is \(type): write it as a string, as in <string>1.0</string>.")
    }
    return nil
  }

  /// - Returns: Whether it is a valid identifier.
  private mutating func judge(product: Name) -> Bool {
    let bytes = product.text.utf8
    guard !bytes.isEmpty, bytes.count <= Self.productBytesMax,
      bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }),
      product != ".", product != ".."
    else {
      add(
        .badProduct, ContentInfo.fileName,
        "\(ContentInfo.productKey) is not a product identifier: use 1 to \(Self.productBytesMax) "
          + "bytes without spaces and slashes.")
      return false
    }
    if let reason = ContentName.fault(in: product) {
      add(
        .badProduct, ContentInfo.fileName,
        "\(ContentInfo.productKey) is \(product), which would be the name of a folder: "
          + "\(reason).")
      return false
    }
    if let expected = expectations.product, expected != product {
      add(
        .otherProduct, ContentInfo.fileName,
        "names the product \(product), but \(expected) was expected.")
    }
    if let known = expectations.knownProducts, !known.contains(product) {
      add(
        .unknownProduct, ContentInfo.fileName,
        "names the product \(product), which is not in the catalogue: check the spelling, "
          + "or add it there.")
    }
    return true
  }

  private mutating func judge(version: Name, of product: Name?) {
    guard Self.isDottedNumber(version) else {
      add(
        .badVersion, ContentInfo.fileName,
        "\(ContentInfo.versionKey) is \(version): write numbers with dots between, as in 2.3.1."
      )
      return
    }
    guard let product else { return }
    switch expectations.versionOnOffer(product) {
    case .unknown: break
    case .nothing:
      guard VersionOrder.compare(version, Self.firstVersion) != 0 else { return }
      add(
        .firstVersion, ContentInfo.fileName,
        "is version \(version), but no version of \(product) is on offer yet: begin with 1.0.")
    case .version(let offered):
      guard VersionOrder.compare(version, offered) <= 0 else { return }
      add(
        .versionNotHigher, ContentInfo.fileName,
        "is version \(version), but \(offered) is already on offer: use a higher version.")
    }
  }

  /// Returns whether a version consists of integers separated by dots, such as `1.0` or `2.3.1`.
  static func isDottedNumber(_ version: Name) -> Bool {
    let parts = version.text.utf8.split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return version.byteCount <= productBytesMax
      && parts.allSatisfy { part in
        !part.isEmpty && part.count <= versionPartDigitsMax
          && part.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
      }
  }
}
