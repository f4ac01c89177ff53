extension Span where Element == UInt8 {
  /// Returns the little-endian number at `offset`.
  ///
  /// The bytes need no alignment, because LMDB's values have none. A number that reaches beyond the
  /// span is a bug and stops the process.
  ///
  /// - Complexity: O(1).
  @inlinable @inline(__always)
  public func littleEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self, at offset: Int
  ) -> Number {
    Number(littleEndian: load(type, at: offset))
  }

  /// Returns the big-endian number at `offset`, as in keys.
  ///
  /// - Complexity: O(1).
  @inlinable @inline(__always)
  public func bigEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self, at offset: Int
  ) -> Number {
    Number(bigEndian: load(type, at: offset))
  }

  @inlinable @inline(__always)
  func load<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type, at offset: Int
  ) -> Number {
    precondition(offset >= 0 && count - offset >= MemoryLayout<Number>.size, "beyond the bytes")
    // SAFETY: the range was checked, and every pattern of bits is a valid integer.
    return unsafe withUnsafeBytes { bytes in
      unsafe bytes.loadUnaligned(fromByteOffset: offset, as: type)
    }
  }
}

extension Array where Element == UInt8 {
  /// Creates a copy of borrowed bytes that can be kept.
  ///
  /// - Complexity: O(*n*), one allocation.
  public init(copying bytes: Span<UInt8>) {
    // SAFETY: the bytes are read during the call only.
    self = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
  }
}
