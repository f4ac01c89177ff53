internal import Crypto

/// Checks a package: receives each entry with all of its data, and reports at the end.
///
/// For each entry, call ``begin(_:)``; then ``take(_:)`` for the data of a file, as often as needed
/// while ``wantsData`` is true; then ``endEntry()``. After the last entry, call ``report()``.
/// ``judge(_:packedBytes:expecting:limits:into:)`` does this for a whole package.
public struct PackageInspection: ~Copyable {
  /// The current entry.
  struct Current {
    let entry: PackageEntry
    let path: PackagePath
    /// False if the entry's path is not valid. Its data is checked, but the entry is not listed.
    let isListed: Bool
    var hasher = SHA256()
    /// The hasher on another thread, if the file is large.
    var beside: BesideHasher?
    var bytes: UInt64 = 0
    var head: [UInt8] = []
  }

  let expectations: PackageExpectations
  let limits: PackageLimits
  let packedBytes: UInt64?
  var faults: [PackageFault] = []
  var faultsLeftOff = 0
  var files: [PackageFile] = []
  var links: [(path: PackagePath, target: String)] = []
  var paths = PathTable()
  var levels = PackageLevels()
  /// The bytes of `ContentInfo.plist`, if it is a file within the size limit.
  var info: [UInt8]?
  var current: Current?
  private var entryCount = 0
  private var statedBytes: UInt64 = 0
  private var unpackedBytes: UInt64 = 0

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - expectations: The statements that the package must make about itself.
  ///   - packedBytes: The size of the container in bytes; nil if there is none.
  ///   - limits: The limits for the package.
  public init(
    expecting expectations: PackageExpectations = PackageExpectations(),
    packedBytes: UInt64? = nil, limits: PackageLimits = PackageLimits()
  ) {
    self.expectations = expectations
    self.packedBytes = packedBytes
    self.limits = limits
    if let packedBytes, packedBytes > limits.bytesMax {
      add(.tooLarge, "", "is \(packedBytes) bytes packed; \(Self.sizeAdvice(limits))")
    }
  }

  /// Whether no fault has been found so far. If this is false, the current entry must not be
  /// written.
  public var isSafe: Bool { faults.isEmpty }

  /// Whether to pass further entries; false if there are too many.
  public var wantsEntries: Bool { entryCount <= limits.entriesMax }

  /// Whether to pass further data; false if the package is known to be too large.
  public private(set) var wantsData = true

  /// Begins the next entry.
  ///
  /// - Returns: The entry to write, with a normalized path; nil if it must not be written or there
  ///   is nothing to write.
  @discardableResult
  public mutating func begin(_ entry: PackageEntry) -> PackageEntry? {
    precondition(current == nil, "begin(_:) was called before endEntry()")
    entryCount += 1
    guard wantsEntries else {
      add(
        .tooManyEntries, "",
        "has more than \(limits.entriesMax) entries: pack fewer, larger files.")
      wantsData = false
      return nil
    }
    let path = PackagePath(entry.path, isFolder: entry.kind == .folder)
    if path.isRoot && entry.kind == .folder { return nil }
    let isListed = place(entry, path)
    current = Current(entry: entry, path: path, isListed: isListed)
    if case .file(let bytes?) = entry.kind { count(stated: bytes, path) }
    guard isSafe else { return nil }
    var clean = entry
    clean.path = path.text
    if case .hardLink(let target) = entry.kind {
      clean.kind = .hardLink(target: PackagePath(target, isFolder: false).text)
    }
    return clean
  }

  /// Takes the next piece of the entry's data.
  public mutating func take(_ bytes: ArraySlice<UInt8>) {
    guard wantsData, var current = self.current else { return }
    self.current = nil
    if current.beside == nil, bytes.count >= BesideHasher.pieceBytesMin {
      current.beside = BesideHasher(current.hasher)
    }
    if let beside = current.beside {
      beside.update(bytes)
    } else {
      current.hasher.update(data: bytes)
    }
    current.bytes += UInt64(bytes.count)
    if current.head.count < ExecutableKind.headBytes {
      current.head += bytes.prefix(ExecutableKind.headBytes - current.head.count)
    }
    if current.path.text.isSameBytes(as: ContentInfo.fileName) { keepInfo(bytes) }
    self.current = current
    unpackedBytes += UInt64(bytes.count)
    if unpackedBytes > limits.bytesMax { refuseSize() }
    if let packedBytes, unpackedBytes > limits.expansionFreeBytes,
      unpackedBytes / limits.expansionMax > packedBytes, wantsData
    {
      add(
        .bomb, current.path.text,
        "unpacks to more than \(limits.expansionMax) times its packed size: it is designed to "
          + "fill a disk, or contains the same bytes again and again.")
      wantsData = false
    }
  }

  /// Ends the entry, after all its data was passed (unless no data is wanted).
  public mutating func endEntry() {
    guard let current else { return }
    self.current = nil
    guard case .file(let stated) = current.entry.kind, wantsData else { return }
    if let stated, stated != current.bytes {
      add(
        .sizeMismatch, current.path.text,
        "states \(stated) bytes but contains \(current.bytes): pack it again.")
    }
    if let kind = ExecutableKind.name(head: current.head) {
      add(
        .executable, current.path.text,
        "is \(kind): hosted content must contain only data, so put code into the app.")
    } else if let name = current.path.components.last, ExecutableKind.isLibraryName(name) {
      add(
        .executable, current.path.text,
        "has the name of a dynamic library: hosted content must contain only data.")
    }
    guard current.isListed else { return }
    files.append(
      PackageFile(
        path: current.path.text,
        content: .file(
          bytes: current.bytes,
          digest: ContentDigest(current.beside?.finalize() ?? current.hasher.finalize()))))
  }

  mutating func add(_ code: PackageFault.Code, _ path: String, _ message: String) {
    guard faults.count < limits.faultsMax else {
      faultsLeftOff += 1
      return
    }
    faults.append(PackageFault(code, path: path, message))
  }

  mutating func count(stated bytes: UInt64, _ path: PackagePath) {
    let (sum, overflow) = statedBytes.addingReportingOverflow(bytes)
    statedBytes = overflow ? .max : sum
    if statedBytes > limits.bytesMax { refuseSize() }
  }

  private mutating func refuseSize() {
    guard wantsData else { return }
    wantsData = false
    add(
      .tooLarge, current?.path.text ?? "",
      "brings the total size to more than \(limits.bytesMax) bytes; \(Self.sizeAdvice(limits))")
  }

  private static func sizeAdvice(_ limits: PackageLimits) -> String {
    "the store accepts at most \(limits.bytesMax): leave files out, or split it into products."
  }

  private mutating func keepInfo(_ bytes: ArraySlice<UInt8>) {
    guard let kept = info, kept.count + bytes.count <= limits.infoBytesMax else {
      info = nil
      return
    }
    info = kept + bytes
  }
}
