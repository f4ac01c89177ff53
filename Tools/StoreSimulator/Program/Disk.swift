import SimulatedDisk

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The disk under the ledger: what it is asked to do wrong, and what it is told.
enum Disk {
  /// One thing that goes wrong, at one call.
  struct Fault: CustomStringConvertible {
    enum Kind: CaseIterable {
      case powerCut, inputOutput, full, shortWrite
    }

    var kind: Kind
    /// Which call, counted from the next.
    var call: UInt64

    var description: String { "\(kind) at call \(call)" }
  }

  /// Begins to watch a folder. Removed names are kept in `stash` until that is durable.
  static func watch(_ folder: String, stash: String) {
    // SAFETY: disk_watch copies both paths during the call.
    unsafe disk_watch(folder, stash)
  }

  static func release() { disk_release() }

  static func plan(_ fault: Fault?) {
    switch fault?.kind {
    case nil: disk_plan(DISK_WORKS, 0, 0)
    case .powerCut: disk_plan(DISK_CUT, 0, fault?.call ?? 0)
    case .inputOutput: disk_plan(DISK_FAIL, EIO, fault?.call ?? 0)
    case .full: disk_plan(DISK_FAIL, ENOSPC, fault?.call ?? 0)
    case .shortWrite: disk_plan(DISK_SHORT, ENOSPC, fault?.call ?? 0)
    }
  }

  static var hasFailed: Bool { disk_has_failed() }
  static var isOff: Bool { disk_is_off() }
  static var calls: UInt64 { disk_calls() }
  static var trace: UInt64 { disk_trace() }

  static func powerOff() { disk_power_off() }

  /// Makes what the power cut leaves, of `disk_leavings`.
  static func powerOn(leaving leavings: Int, seed: UInt64) -> UInt64 {
    disk_power_on(disk_leavings(UInt32(leavings)), seed)
  }

  static var leavings: Int { Int(DISK_LEAVINGS.rawValue) }
}
