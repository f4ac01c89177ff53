internal import Dispatch
internal import Foundation
internal import Synchronization

/// Calls `body` with each number below `count` and returns the results, in order.
///
/// The calling thread works, and threads of the process help it, as many as there are cores. Where
/// the system starts no thread, the calling thread does all of it.
///
/// - Parameter body: Called on several threads at a time. It must not wait for another call.
package func concurrentMap<Value: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) -> Value
) -> [Value] {
  concurrentMap(count, HelperThreads.shared, body)
}

func concurrentMap<Value: Sendable>(
  _ count: Int, _ helpers: HelperThreads, _ body: @escaping @Sendable (Int) -> Value
) -> [Value] {
  guard count > 1 else { return (0..<count).map(body) }
  let pieces = Pieces(count, body)
  helpers.offer(count - 1) { pieces.work() }
  pieces.work()
  return pieces.results()
}

/// Work in pieces. Whoever works on it takes the next one, until there is none.
private final class Pieces<Value: Sendable>: Sendable {
  private struct State {
    var results: [Value?]
    var done = 0
    /// Released when all is done, because a helper that comes late may keep the pieces themselves.
    var body: (@Sendable (Int) -> Value)?
  }

  private let count: Int
  private let next = Atomic<Int>(0)
  private let state: Mutex<State>
  private let finished = DispatchSemaphore(value: 0)

  init(_ count: Int, _ body: @escaping @Sendable (Int) -> Value) {
    self.count = count
    state = Mutex(State(results: [Value?](repeating: nil, count: count), body: body))
  }

  func work() {
    guard let body = state.withLock({ $0.body }) else { return }
    while true {
      let piece = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard piece < count else { return }
      let result = body(piece)
      let isLast = state.withLock { state in
        state.results[piece] = result
        state.done += 1
        return state.done == count
      }
      if isLast { finished.signal() }
    }
  }

  /// Waits for the pieces that others have taken, and returns all results.
  func results() -> [Value] {
    finished.wait()
    return state.withLock { state in
      state.body = nil
      return state.results.map { result in
        guard let result else { preconditionFailure("a piece was counted and not done") }
        return result
      }
    }
  }
}

/// Threads that help others with work in pieces: one for each core but one, started when they are
/// needed. They end when nobody needed them for a while.
final class HelperThreads: Sendable {
  static let shared = HelperThreads(
    max: ProcessInfo.processInfo.activeProcessorCount - 1, startingWith: ThreadStart.run)

  /// How long a helper without work waits for more.
  private static let idleTimeMax = DispatchTimeInterval.seconds(5)

  private struct State {
    var offers: [@Sendable () -> Void] = []
    var threads = 0
    var idle = 0
  }

  private let max: Int
  private let starts: @Sendable (@escaping @Sendable () -> Void) -> Bool
  private let state = Mutex(State())
  private let offered = DispatchSemaphore(value: 0)

  init(
    max: Int, startingWith starts: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool
  ) {
    self.max = max
    self.starts = starts
  }

  /// Lets up to `count` helpers call `work`, which must return at once if nothing is left to do.
  func offer(_ count: Int, _ work: @escaping @Sendable () -> Void) {
    let offers = state.withLock { state in
      let count = min(count, max)
      while state.idle < state.offers.count + count, state.threads < max {
        guard starts({ self.help() }) else { break }
        state.threads += 1
        state.idle += 1
      }
      // Nobody else is there: the caller works alone.
      guard state.threads > 0 else { return 0 }
      state.offers.append(contentsOf: repeatElement(work, count: count))
      return count
    }
    for _ in 0..<offers { offered.signal() }
  }

  private func help() {
    while true {
      let isOffered = offered.wait(timeout: .now() + Self.idleTimeMax) == .success
      let work: (@Sendable () -> Void)? = state.withLock { state in
        if let work = state.offers.popLast() {
          state.idle -= 1
          return work
        }
        if !isOffered {
          state.idle -= 1
          state.threads -= 1
        }
        return nil
      }
      if let work {
        work()
        state.withLock { $0.idle += 1 }
      } else if !isOffered {
        return
      }
    }
  }
}
