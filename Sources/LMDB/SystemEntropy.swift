#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Returns `count` random bytes of the system, for keys (getentropy(3)).
///
/// Swift's generator asks the system for eight bytes at a time, which takes five milliseconds for
/// the 128 KiB of a block of keys.
///
/// - Complexity: One system call for each 256 bytes.
/// - Throws: ``LMDBError`` if the system has no random numbers.
public func systemEntropy(byteCount count: Int) throws(LMDBError) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  var done = 0
  while done < count {
    let part = min(count - done, entropyBytesMax)
    // SAFETY: getentropy writes `part` bytes, which the array has from there on.
    let status = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe getentropy(buffer.baseAddress.map { unsafe $0 + done }, part)
    }
    guard status == 0 else { throw systemFailure("read random numbers", "the system") }
    done += part
  }
  return bytes
}

/// The maximum number of bytes in one call, by getentropy(3).
private let entropyBytesMax = 256
