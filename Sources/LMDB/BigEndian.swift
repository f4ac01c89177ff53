#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension Span<UInt8> {
  /// The eight bytes from `offset` on, the most significant first.
  @inlinable @inline(__always)
  package func bigEndianWord(at offset: Int) -> UInt64 { bigEndian(UInt64.self, at: offset) }

  /// The four bytes from `offset` on, the most significant first.
  @inlinable @inline(__always)
  package func bigEndianHalf(at offset: Int) -> UInt32 { bigEndian(UInt32.self, at: offset) }

  /// Whether both contain the same bytes.
  package func equals(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    // SAFETY: both are read during the call only, as many bytes as each has.
    return unsafe withUnsafeBytes { left in
      unsafe other.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return unsafe memcmp(left, right, count) == 0
      }
    }
  }
}

extension [UInt8] {
  /// Adds the bytes of `span`.
  package mutating func append(copying span: Span<UInt8>) {
    // SAFETY: the bytes are read during the call only.
    unsafe span.withUnsafeBytes { bytes in unsafe append(contentsOf: bytes) }
  }

  /// Sets the eight bytes from `offset` on, the most significant first.
  @inlinable @inline(__always)
  package mutating func setBigEndianWord(_ word: UInt64, at offset: Int) {
    var bytes = mutableSpan
    // After one check of the whole range, the compiler makes this a single store.
    precondition(offset >= 0 && offset <= bytes.count &- 8, "beyond the bytes")
    for index in 0..<8 {
      bytes[offset &+ index] = UInt8(truncatingIfNeeded: word &>> UInt64(56 &- 8 &* index))
    }
  }

  /// Adds four bytes, the most significant first.
  @inlinable
  package mutating func append(bigEndianHalf half: UInt32) {
    append(addingCapacity: 4) { bytes in
      for index in 0..<4 {
        bytes.append(UInt8(truncatingIfNeeded: half &>> UInt32(24 &- 8 &* index)))
      }
    }
  }

  /// Adds eight bytes, the most significant first.
  @inlinable
  package mutating func append(bigEndianWord word: UInt64) {
    append(addingCapacity: 8) { bytes in
      for index in 0..<8 {
        bytes.append(UInt8(truncatingIfNeeded: word &>> UInt64(56 &- 8 &* index)))
      }
    }
  }
}

extension UInt32 {
  /// The four bytes in big-endian order, in which they sort like the number.
  package var bigEndianBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndianHalf: self)
    return bytes
  }
}

/// The four bytes of `number` in big-endian order, in which they sort like the number.
@inlinable @inline(__always)
package func bigEndianKey(_ number: UInt32) -> InlineArray<4, UInt8> {
  [
    UInt8(truncatingIfNeeded: number >> 24), UInt8(truncatingIfNeeded: number >> 16),
    UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number),
  ]
}
