extension PackageInspection {
  /// Bytes that are read of a package at once.
  public static let chunkBytes = 1024 * 1024

  /// Reads a package to its end, checks it, and passes it to `sink` up to the first fault.
  ///
  /// This takes one pass. Memory is three chunks and a few hundred bytes per entry.
  ///
  /// - Complexity: O(*n* log *n*) in the entries, O(*n*) in the bytes.
  /// - Throws: ``ContentError`` if the package is broken, cannot be read or changed during the
  ///   read, and what the sink throws. A fault is no error: it is in the report.
  public static func judge(
    _ package: inout some PackageReader & ~Copyable, packedBytes: UInt64? = nil,
    expecting expectations: PackageExpectations = PackageExpectations(),
    limits: PackageLimits = PackageLimits(), into sink: inout some PackageSink & ~Copyable
  ) throws(ContentError) -> PackageReport {
    var inspection = PackageInspection(
      expecting: expectations, packedBytes: packedBytes, limits: limits)
    // In turn: one is read into while the others are hashed and written.
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
    // Of too many entries the rest was not looked at, and cannot be compared.
    if inspection.wantsEntries { try package.checkUnchanged() }
    return inspection.report()
  }

  /// Reads the package at a path to its end, and checks it.
  ///
  /// - Complexity: O(*n* log *n*) in the entries, O(*n*) in the bytes.
  /// - Throws: ``ContentError`` if the package is missing, broken, cannot be read or changed
  ///   meanwhile.
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
