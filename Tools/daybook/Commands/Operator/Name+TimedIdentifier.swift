import Foundation
import LedgerEvents

extension Name {
  /// A UUID of version 7: sorts by time, and says nothing of anybody.
  ///
  /// Source: RFC 9562, section 5.7.
  static func timedIdentifier(_ now: Instant) -> Name {
    let milliseconds = UInt64(max(0, now.microseconds / 1000))
    var bytes = UUID().uuid
    bytes.0 = UInt8(truncatingIfNeeded: milliseconds >> 40)
    bytes.1 = UInt8(truncatingIfNeeded: milliseconds >> 32)
    bytes.2 = UInt8(truncatingIfNeeded: milliseconds >> 24)
    bytes.3 = UInt8(truncatingIfNeeded: milliseconds >> 16)
    bytes.4 = UInt8(truncatingIfNeeded: milliseconds >> 8)
    bytes.5 = UInt8(truncatingIfNeeded: milliseconds)
    bytes.6 = 0x70 | bytes.6 & 0x0F
    return Name(UUID(uuid: bytes).uuidString.lowercased())
  }
}
