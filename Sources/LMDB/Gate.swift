internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Counts the transactions that currently read or write the map, and can be shut while it is
/// remapped.
///
/// `mdb_env_set_mapsize` unmaps the file even while readers of its own process use it. So no thread
/// may be inside while the map changes.
final class Gate: Sendable {
  private static let shutBit = 1 << 62
  private static let pauseMicroseconds: UInt32 = 200

  private let word = Atomic<Int>(0)

  /// The number of threads and transactions inside.
  var count: Int { word.load(ordering: .acquiring) & ~Self.shutBit }

  /// Enters. While the gate is shut, waits until it opens.
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

  /// Keeps others out, and waits until the gate is empty.
  ///
  /// Returns false, with the gate open, if it is not empty after `patienceMicroseconds`.
  func shut(patienceMicroseconds: Int) -> Bool {
    var waited = 0
    while word.bitwiseOr(Self.shutBit, ordering: .acquiringAndReleasing).oldValue & Self.shutBit
      != 0
    {
      // Another thread has shut the gate.
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
