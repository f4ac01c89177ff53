internal import LMDB
internal import SHA2

/// A SHA-256 value: 32 bytes, stored as four words, each of eight bytes in big-endian order.
public struct TreeHash: Hashable, Sendable {
  let word0: UInt64
  let word1: UInt64
  let word2: UInt64
  let word3: UInt64

  /// The length in bytes.
  public static let byteCount = 32

  /// Creates a hash from 32 bytes; `nil` if there are not 32.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count == TreeHash.byteCount else { return nil }
    word0 = bytes.bigEndianWord(at: 0)
    word1 = bytes.bigEndianWord(at: 8)
    word2 = bytes.bigEndianWord(at: 16)
    word3 = bytes.bigEndianWord(at: 24)
  }

  /// Computes SHA-256 of `bytes`.
  init(hashing bytes: Span<UInt8>) {
    let hash = SHA256Words(hashing: bytes)
    word0 = hash.word0
    word1 = hash.word1
    word2 = hash.word2
    word3 = hash.word3
  }

  /// The 32 bytes.
  public var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: TreeHash.byteCount)
    write(to: &bytes, at: 0)
    return bytes
  }

  /// The 32 bytes in lower-case hexadecimal digits.
  public var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * TreeHash.byteCount)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Writes the 32 bytes into `bytes` from `offset` on.
  @inline(__always)
  package func write(to bytes: inout [UInt8], at offset: Int) {
    bytes.setBigEndianWord(word0, at: offset)
    bytes.setBigEndianWord(word1, at: offset + 8)
    bytes.setBigEndianWord(word2, at: offset + 16)
    bytes.setBigEndianWord(word3, at: offset + 24)
  }
}

extension TreeHash {
  /// Adds the 32 bytes to `bytes`.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndianWord: word0)
    bytes.append(bigEndianWord: word1)
    bytes.append(bigEndianWord: word2)
    bytes.append(bigEndianWord: word3)
  }
}

/// SHA-256 with the prefixes of RFC 6962. It reuses its buffers.
package struct TreeHasher {
  /// 0x01, the left hash, the right hash.
  private var node = [UInt8](repeating: 1, count: 1 + 2 * TreeHash.byteCount)
  private var leaf: [UInt8] = []

  /// The hash of a tree without leaves: of no bytes at all.
  static let empty = TreeHash(hashing: Span())

  /// The byte before an entry when its leaf is hashed.
  static let leafPrefix: [UInt8] = [0]

  /// Returns SHA-256(0x00 ‖ entry) for a buffer that already contains the zero byte before the
  /// entry.
  static func leafHash(prefixed buffer: [UInt8]) -> TreeHash {
    assert(buffer.first == 0, "a leaf is hashed after a zero byte")
    return TreeHash(hashing: buffer.span)
  }

  /// Returns SHA-256(0x00 ‖ `entry`).
  mutating func leafHash(_ entry: Span<UInt8>) -> TreeHash {
    leaf.removeAll(keepingCapacity: true)
    leaf.append(0)
    leaf.append(copying: entry)
    return TreeHasher.leafHash(prefixed: leaf)
  }

  /// Returns SHA-256(0x01 ‖ `left` ‖ `right`).
  mutating func parent(_ left: TreeHash, _ right: TreeHash) -> TreeHash {
    left.write(to: &node, at: 1)
    right.write(to: &node, at: 1 + TreeHash.byteCount)
    return TreeHash(hashing: node.span)
  }
}
