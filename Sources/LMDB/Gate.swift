internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Counts the transactions that currently read or write the map, and can be shut while it is
/// remapped.
///
/// `mdb_env_set_mapsize` unmaps the file even while readers of its own process use it, so nobody
/// may be inside.
final class Gate: Sendable {
  private static let shutBit = 1 << 62
  private static let pauseMicroseconds: UInt32 = 200

  private let word = Atomic<Int>(0)

  /// How many are inside.
  var count: Int { word.load(ordering: .acquiring) & ~Self.shutBit }

  /// Enters, after waiting for a running remap.
  @inline(__always)
  func enter() {
    let before = word.wrappingAdd(1, ordering: .acquiring).oldValue
    if before & Self.shutBit != 0 { enterLater() }
  }

  @inline(__always)
  func leave() {
    _ = word.wrappingSubtract(1, ordering: .releasing)
  }

  @inline(never)
  private func enterLater() {
    while true {
      leave()
      while word.load(ordering: .relaxed) & Self.shutBit != 0 { usleep(Self.pauseMicroseconds) }
      if word.wrappingAdd(1, ordering: .acquiring).oldValue & Self.shutBit == 0 { return }
    }
  }

  /// Keeps others out and waits until those inside have left.
  ///
  /// Returns false, with the gate open, if somebody is still inside after `patienceMicroseconds`.
  func shut(patienceMicroseconds: Int) -> Bool {
    var waited = 0
    while word.bitwiseOr(Self.shutBit, ordering: .acquiringAndReleasing).oldValue & Self.shutBit
      != 0
    {
      // Another thread remaps.
      usleep(Self.pauseMicroseconds)
    }
    while count > 0 {
      guard waited < patienceMicroseconds else {
        open()
        return false
      }
      usleep(Self.pauseMicroseconds)
      waited += Int(Self.pauseMicroseconds)
    }
    return true
  }

  func open() {
    _ = word.bitwiseAnd(~Self.shutBit, ordering: .acquiringAndReleasing)
  }
}
