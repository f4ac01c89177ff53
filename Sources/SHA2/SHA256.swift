internal import CSHA256

#if !arch(x86_64)
  internal import Crypto
#endif

/// A SHA-256 value (FIPS 180-4) as four words, the first byte highest in the first word.
package struct SHA256Words: Hashable, Sendable {
  package let word0: UInt64
  package let word1: UInt64
  package let word2: UInt64
  package let word3: UInt64
}

extension SHA256Words {
  /// Computes SHA-256 of `bytes`.
  ///
  /// The log hashes two short texts for each event. The cryptography library makes two objects for
  /// each hash and returns it byte by byte, which takes longer than the hash itself.
  ///
  /// - Complexity: O(*n*) in the number of bytes. On x86-64 it does not allocate.
  package init(hashing bytes: Span<UInt8>) {
    #if arch(x86_64)
      // SAFETY: C reads the bytes during the call only, as many as there are.
      self = unsafe bytes.withUnsafeBytes { bytes in
        unsafe SHA256Words(
          csha256(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
      }
    #else
      // The portable code is slower than the library's, which knows the instructions of others.
      var hasher = SHA256()
      // SAFETY: the library reads the bytes during the call only.
      unsafe bytes.withUnsafeBytes { unsafe hasher.update(bufferPointer: $0) }
      self.init(hasher.finalize())
    #endif
  }

  /// Computes SHA-256 of `bytes` without the processor's instructions for it, for tests.
  package init(portablyHashing bytes: Span<UInt8>) {
    // SAFETY: C reads the bytes during the call only, as many as there are.
    self = unsafe bytes.withUnsafeBytes { bytes in
      unsafe SHA256Words(
        csha256_portable(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
    }
  }

  /// Whether hashes use the processor's instructions for SHA-256 (on x86-64).
  package static var usesInstructions: Bool { csha256_uses_instructions() != 0 }

  @inline(__always)
  private init(_ hash: csha256_hash) {
    self.init(word0: hash.word0, word1: hash.word1, word2: hash.word2, word3: hash.word3)
  }
}

#if !arch(x86_64)
  extension SHA256Words {
    fileprivate init(_ digest: SHA256Digest) {
      var bytes = digest.makeIterator()
      func word() -> UInt64 {
        (0..<8).reduce(0) { word, _ in word << 8 | UInt64(bytes.next() ?? 0) }
      }
      self.init(word0: word(), word1: word(), word2: word(), word3: word())
    }
  }
#endif
