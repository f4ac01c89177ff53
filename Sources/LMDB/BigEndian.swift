extension Span<UInt8> {
  /// The eight bytes from `offset` on, the most significant first.
  @inlinable @inline(__always)
  package func bigEndianWord(at offset: Int) -> UInt64 { bigEndian(UInt64.self, at: offset) }

  /// The four bytes from `offset` on, the most significant first.
  @inlinable @inline(__always)
  package func bigEndianHalf(at offset: Int) -> UInt32 { bigEndian(UInt32.self, at: offset) }

  /// Whether both contain the same bytes.
  @inlinable
  package func equals(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var offset = 0
    while count - offset >= 8 {
      guard bigEndianWord(at: offset) == other.bigEndianWord(at: offset) else { return false }
      offset += 8
    }
    while offset < count {
      guard self[offset] == other[offset] else { return false }
      offset += 1
    }
    return true
  }
}

extension [UInt8] {
  /// Adds the bytes of `span`.
  @inlinable
  package mutating func append(copying span: Span<UInt8>) {
    append(addingCapacity: span.count) { bytes in
      for index in span.indices { bytes.append(span[index]) }
    }
  }

  /// Sets the eight bytes from `offset` on, the most significant first.
  @inlinable @inline(__always)
  package mutating func setBigEndianWord(_ word: UInt64, at offset: Int) {
    for index in 0..<8 {
      self[offset + index] = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index))
    }
  }

  /// Adds four bytes, the most significant first.
  @inlinable
  package mutating func append(bigEndianHalf half: UInt32) {
    for shift in stride(from: 24, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: half >> UInt32(shift)))
    }
  }

  /// Adds eight bytes, the most significant first.
  @inlinable
  package mutating func append(bigEndianWord word: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
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
