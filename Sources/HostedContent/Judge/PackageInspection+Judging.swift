extension PackageInspection {
  /// The number of bytes that are read from a package at once.
  public static let chunkBytes = 1024 * 1024

  /// Reads and checks a whole package, and passes it to `sink` up to the first fault.
  ///
  /// This takes one pass. Memory is three chunks and a few hundred bytes per entry, besides
  /// what the reader needs for the package's table of contents.
  ///
  /// - Complexity: O(*n* log *n*) in the number of entries, O(*n*) in the number of bytes.
  /// - Throws: ``ContentError`` if the package is broken, cannot be read or changes during the
  ///   read, and any error of the sink. Faults are not errors: they are in the report.
  public static func judge(
    _ package: inout some PackageReader & ~Copyable, packedBytes: UInt64? = nil,
    expecting expectations: PackageExpectations = PackageExpectations(),
    limits: PackageLimits = PackageLimits(), into sink: inout some PackageSink & ~Copyable
  ) throws(ContentError) -> PackageReport {
    var inspection = PackageInspection(
      expecting: expectations, packedBytes: packedBytes, limits: limits)
    // The buffers are used in turn: one is read into while the others are hashed and written.
    var buffers = (0...BesideHasher.piecesAheadMax).map { _ in
      [UInt8](repeating: 0, count: chunkBytes)
    }
    var turn = 0
    while inspection.wantsEntries, let entry = try package.next() {
      var isWriting = false
      if let clean = inspection.begin(entry) {
        try sink.begin(clean)
        isWriting = true
      }
      if case .file = entry.kind {
        while inspection.wantsData {
          let count = try package.read(into: &buffers[turn])
          if count == 0 { break }
          if isWriting && inspection.isSafe { try sink.take(buffers[turn][..<count]) }
          inspection.take(buffers[turn][..<count])
          turn = (turn + 1) % buffers.count
        }
      }
      inspection.endEntry()
      if isWriting && inspection.isSafe { try sink.end() }
    }
    // If there are too many entries, the rest was not read and cannot be compared.
    if inspection.wantsEntries { try package.checkUnchanged() }
    return inspection.report()
  }

  /// Reads and checks the whole package at a path.
  ///
  /// - Complexity: O(*n* log *n*) in the number of entries, O(*n*) in the number of bytes.
  /// - Throws: ``ContentError`` if the package is missing, broken, cannot be read or changes during
  ///   the read.
  public static func judge(
    path: String, expecting expectations: PackageExpectations = PackageExpectations(),
    limits: PackageLimits = PackageLimits(), isolation: PackageIsolation = .none
  ) throws(ContentError) -> PackageReport {
    var package = try OpenedPackage(path: path, isolation: isolation)
    var sink = NoPackageSink()
    return try judge(
      &package, packedBytes: package.packedBytes, expecting: expectations, limits: limits,
      into: &sink)
  }
}
