internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The largest key in bytes that LMDB was compiled for (`mdb_env_get_maxkeysize`).
public let keySizeBytesMax = 511

/// The largest value in bytes (`MAXDATASIZE` of LMDB 0.9).
public let valueSizeBytesMax = 0xFFFF_FFFF

/// `EINVAL`, which LMDB returns for a table that the transaction does not know.
let invalidArgument = EINVAL

/// Returns the eight bytes of `number` in big-endian order, in which keys sort like numbers.
@inlinable @inline(__always)
public func bigEndianKey(_ number: UInt64) -> InlineArray<8, UInt8> {
  // SAFETY: both types are eight bytes without padding, and every pattern is valid in both.
  unsafe unsafeBitCast(number.bigEndian, to: InlineArray<8, UInt8>.self)
}

extension MDB_val {
  /// LMDB's description of bytes; valid as long as the bytes are.
  @inline(__always)
  @unsafe
  init(_ bytes: UnsafeRawBufferPointer) {
    // SAFETY: LMDB does not write through keys, nor through the values it is given to store.
    unsafe self.init(
      mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  /// The bytes; valid as long as the memory that contains them is.
  @inline(__always)
  @unsafe
  var bytes: UnsafeBufferPointer<UInt8> {
    // SAFETY: LMDB's pages are untyped memory that only this wrapper looks at, as bytes.
    unsafe UnsafeBufferPointer(
      start: UnsafePointer(mv_data?.assumingMemoryBound(to: UInt8.self)), count: mv_size)
  }
}
