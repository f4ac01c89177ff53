internal import Synchronization

/// The identity of a file, which is the same for all paths to it.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
}

/// The environments that this process has open.
///
/// LMDB's locks belong to the process. If a process opens a file twice, closing the second
/// environment drops the locks of the first (`lmdb.h`, *Caveats*).
final class EnvironmentRegistry: Sendable {
  static let shared = EnvironmentRegistry()

  private struct State {
    var open: [FileIdentity: Int] = [:]
    var lastNumber: UInt32 = 0
  }

  private let state = Mutex(State())

  /// Returns a new number for the environment, or `nil` if it is open.
  func add(_ identity: FileIdentity) -> UInt32? {
    let generation = currentForkGeneration
    return state.withLock { state in
      // An environment that the parent had open before a fork is not open here.
      if state.open[identity] == generation { return nil }
      state.open[identity] = generation
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  /// Closes an environment with `close` and removes it, in one step: once its file is closed,
  /// another file can get the same identity.
  func remove(_ identity: FileIdentity, closing close: () -> Void = {}) {
    state.withLock { state in
      close()
      _ = state.open.removeValue(forKey: identity)
    }
  }
}
