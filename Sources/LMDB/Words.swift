extension Span where Element == UInt8 {
  /// Returns the eight bytes at `offset` as a little-endian number, whatever their alignment.
  ///
  /// - Complexity: O(1): one load and a check of the bounds.
  /// - Precondition: The eight bytes are within the span.
  @inlinable
  @inline(__always)
  public func word(at offset: Int) -> UInt64 {
    // SAFETY: the load checks its bounds, and every pattern of bits is a UInt64.
    UInt64(
      littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension Span where Element == UInt64 {
  /// The memory of the numbers as bytes, in the machine's byte order.
  @inlinable
  public var wordBytes: Span<UInt8> {
    @_lifetime(copy self)
    get {
      // SAFETY: a UInt64 has no padding, so that all of its bytes are initialized, and each is a
      // UInt8.
      unsafe _overrideLifetime(Span<UInt8>(_bytes: bytes), copying: self)
    }
  }
}
