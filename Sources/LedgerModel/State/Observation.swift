public import LedgerEvents

/// A content version that an event of a unit named for a product, at the earliest such event.
public struct VersionObservation: Hashable, Sendable {
  public var product: NameNumber
  public var version: Name
  public var key: FoldKey

  /// Whether this version, and not `other`, is on offer, of two versions of one product. It is the
  /// higher one (`model.md` 18). Of equal ones it is the one named first in the fold order, and if
  /// one event names both, the one whose bytes sort first. So the text on offer depends neither on
  /// the order of arrival nor on which unit is asked first.
  ///
  /// - Complexity: O(*n*) in the length of both versions. The ids of two events are read only if
  ///   nothing else decides which is first.
  public func isOffered(over other: VersionObservation, _ texts: any FactTexts) -> Bool {
    let order = VersionOrder.compare(version, other.version)
    if order != 0 { return order > 0 }
    if key == other.key { return version < other.version }
    return key.precedes(other.key, texts)
  }
}

/// A `content.versionPublished`, to be judged against what all units have observed before it.
public struct PublishedVersion: Hashable, Sendable {
  public var product: NameNumber
  public var version: Name
  public var key: FoldKey
  public var finding: Finding
}

/// A `content.installed` that states a digest, to be judged against those of all units.
public struct InstalledDigest: Hashable, Sendable {
  public var product: NameNumber
  public var version: Name
  /// A keyed hash of the path; `nil` if the install states none.
  public var pathHash: UInt64?
  public var digest: Name
  public var key: FoldKey
  public var finding: Finding
}

/// A piece of state that events without a device and without a holder share across units.
///
/// If any unit writes a coupling, all units that touch it are joined, because what one of them
/// reads depends on what another has written. A unit's couplings are those that its fold touched.
/// They depend on its own facts and the shared context alone, and joining units adds none.
public struct Coupling: Hashable, Sendable {
  /// What is touched.
  public enum Kind: UInt8, Sendable {
    /// Content of a product that nobody holds on the absent device.
    case content = 1
    /// An install of a product on the absent device that names no download.
    case install = 2
    /// A failed transaction that nobody holds, on the absent device.
    case failure = 3
    /// A payment without an id for a product on the absent device.
    case payment = 4
    /// A restore on the absent device.
    case restore = 5
  }

  public var kind: Kind
  public var environment: StoreEnvironment
  /// 0 for restores.
  public var product: NameNumber
}

/// A coupling that a unit touched, and whether it wrote what others can read.
public struct CouplingUse: Hashable, Sendable {
  public var coupling: Coupling
  public var writes: Bool
}
