internal import Crypto
internal import Dispatch
internal import Synchronization

/// Hashes a large file on another thread, while the next part of it is read.
///
/// Up to two pieces are in flight, so that hashing, which takes longest, never waits for reading.
/// Each piece is kept until it is hashed.
final class BesideHasher: Sendable {
  /// The size in bytes from which a piece is hashed on another thread.
  static let pieceBytesMin = 256 * 1024

  static let piecesAheadMax = 2

  private static let queue = DispatchQueue(label: "daybook.content.hash")

  private let hasher: Mutex<SHA256>
  private let beside = DispatchGroup()
  private let room = DispatchSemaphore(value: piecesAheadMax)

  /// - Parameter hasher: The state after the beginning of the file.
  init(_ hasher: SHA256) { self.hasher = Mutex(hasher) }

  func update(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= Self.pieceBytesMin else {
      beside.wait()
      return hasher.withLock { $0.update(data: bytes) }
    }
    room.wait()
    Self.queue.async(group: beside) { [self] in
      hasher.withLock { $0.update(data: bytes) }
      room.signal()
    }
  }

  func finalize() -> SHA256.Digest {
    beside.wait()
    return hasher.withLock { $0.finalize() }
  }
}
