/// The judge of a package: it is shown each entry and all data, and reports at the end.
///
///     begin (take* ) endEntry … report
///
/// ``judge(_:expecting:limits:into:)`` shows it a whole package.
public struct PackageInspection: ~Copyable {
  let expectations: PackageExpectations
  let limits: PackageLimits
  let packedBytes: UInt64?
  var faults: [PackageFault] = []

  /// - Parameter packedBytes: bytes of the container, nil where there is none.
  public init(
    expecting expectations: PackageExpectations = PackageExpectations(),
    packedBytes: UInt64? = nil, limits: PackageLimits = PackageLimits()
  ) {
    self.expectations = expectations
    self.packedBytes = packedBytes
    self.limits = limits
  }

  /// Whether no fault was found so far: false also says that the entry begun must not be written.
  public var isSafe: Bool { faults.isEmpty }

  /// Whether a limit is passed that forbids reading on: more must not be shown.
  public private(set) var isSpent = false

  public mutating func begin(_ entry: PackageEntry) {}

  public mutating func take(_ bytes: ArraySlice<UInt8>) {}

  public mutating func endEntry() {}

  public consuming func report() -> PackageReport {
    PackageReport(
      product: nil, version: nil, files: [], bytes: 0, digest: PackageManifest.digest(of: []),
      faults: faults, faultsLeftOff: 0)
  }
}
