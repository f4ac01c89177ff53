internal import Foundation
public import LedgerEvents
internal import PackageFiles

/// Builds a package from a folder. The same input gives the same bytes, on any machine and day.
///
/// Files are stored and not compressed, because a compressor's output changes with its version, and
/// media files are compressed already. Times, owners and permissions are fixed. Entries are in the
/// byte order of their names, each folder before its contents.
public struct PackageBuilder: Sendable {
  /// The folder of content.
  public var folder: String
  public var product: Name
  public var version: Name
  /// ``PackageFormat/pkg`` or ``PackageFormat/zip``.
  public var format: PackageFormat
  /// The statements that the package must make, besides being valid.
  public var expectations: PackageExpectations
  public var limits = PackageLimits()

  /// - Parameters:
  ///   - folder: The files of the content, which are packed below `Contents/`. A folder with
  ///     `ContentInfo.plist` at its top, or with only `Contents`, is treated as a package: its
  ///     `Contents` are packed, and its `ContentInfo.plist` is packed unchanged if it states the
  ///     product and the version. Otherwise it is created anew, or refused if other keys would be
  ///     lost.
  ///   - product: The product that the content belongs to.
  ///   - version: The content's version, a dotted number.
  ///   - format: The format of the package.
  ///   - expectations: The statements that the package must make, besides being valid.
  public init(
    folder: String, product: Name, version: Name, format: PackageFormat,
    expectations: PackageExpectations = PackageExpectations()
  ) {
    precondition(format != .folder, "a package is written as a .pkg or a zip")
    self.folder = folder
    self.product = product
    self.version = version
    self.format = format
    self.expectations = expectations
  }

  /// Checks the folder as the package that it would become, and writes the package if it is valid.
  ///
  /// The package is written to a hidden file, synced, and renamed, so an incomplete file never has
  /// the final name.
  ///
  /// - Parameters:
  ///   - path: Where to write the package.
  ///   - replaces: Whether an existing file may be replaced.
  /// - Returns: The report. If it has faults, nothing was written.
  /// - Complexity: Reads the folder twice. Memory is one chunk and a few hundred bytes per entry.
  /// - Throws: ``ContentError``: `missing`, `malformed`, `refused`, `exists`, `diskFull`,
  ///   `inputOutput`, `changed`.
  public func build(
    to path: String, replaces: Bool = false
  ) throws(ContentError) -> PackageReport {
    let target = try PackageTarget(path: path, replaces: replaces)
    var tally = PackageTally(format: format)
    var first = try ContentSource.open(folder: folder, product: product, version: version)
    var report = try PackageInspection.judge(
      &first, expecting: expectations, limits: limits, into: &tally)
    guard report.isValid else { return report }
    let entries = tally.entries
    var second = try ContentSource.open(folder: folder, product: product, version: version)
    let writer: any PackageWriter =
      switch format {
      case .zip: ZipWriter(entries)
      case .pkg, .folder: XarWriter(entries)
      }
    guard writer.byteCount <= limits.bytesMax else {
      report.faults.append(
        PackageFault(
          .tooLarge, path: "",
          "would have \(writer.byteCount) bytes; the store accepts at most \(limits.bytesMax)."))
      return report
    }
    try target.write { (output) throws(ContentError) in
      try writer.write(&second, to: &output)
      try second.checkUnchanged()
    }
    return report
  }
}

/// Writes entries from a first reading of the source into a container.
protocol PackageWriter {
  /// The size of the whole container in bytes.
  var byteCount: UInt64 { get }

  /// Reads the source again and writes it.
  ///
  /// - Throws: ``ContentError``: `changed` if the source has changed since the first reading.
  func write(_ source: inout ContentSource, to output: inout PackageOutput) throws(ContentError)
}

/// An entry to pack, with the values that a container states before its data.
struct PackedEntry {
  enum Kind: Equatable {
    case file
    case folder
    case link(target: String)
  }

  var path: String
  var kind: Kind
  var bytes: UInt64 = 0
  /// The CRC-32 of the data, for a zip.
  var checksum: UInt32 = 0
  /// The SHA-1 of the data, for a xar.
  var digest: [UInt8] = []
}
