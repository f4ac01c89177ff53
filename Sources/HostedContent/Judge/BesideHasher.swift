internal import Crypto
internal import Dispatch
internal import Synchronization
internal import WorkThreads

/// Hashes a large file on another thread, while the next part of it is read. If no thread can be
/// started, it is hashed on this one.
///
/// Up to two pieces are in flight, so that hashing, which takes longest, never waits for reading.
/// Each piece is kept until it is hashed.
final class BesideHasher: Sendable {
  /// The size in bytes from which a piece is hashed on another thread.
  static let pieceBytesMin = 256 * 1024

  static let piecesAheadMax = 2

  private static let thread = BackgroundThread()

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
    beside.enter()
    let hash = { @Sendable [self] in
      hasher.withLock { $0.update(data: bytes) }
      room.signal()
      beside.leave()
    }
    if !Self.thread.run(hash) { hash() }
  }

  func finalize() -> SHA256.Digest {
    beside.wait()
    return hasher.withLock { $0.finalize() }
  }
}
