internal import Dispatch
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
  let work = ConcurrentWork(count, body)
  helpers.offer(count - 1) { work.help() }
  return work.results()
}

/// Work in pieces that threads of the process begin at once, while the caller does something else.
///
/// Whoever works on it takes the next piece, until there is none. The caller must end it with
/// ``results()`` or ``abandon()``, because until then the pieces run and use what they captured.
package final class ConcurrentWork<Value: Sendable>: Sendable {
  private struct State {
    var results: [Value?]
    /// How many pieces somebody has taken, and how many of these are done.
    var taken = 0
    var done = 0
    /// Released when all is done, because a helper that comes late may keep the work itself.
    var body: (@Sendable (Int) -> Value)?

    var isDone: Bool { done == results.count }
  }

  private let state: Mutex<State>
  private let finished = DispatchSemaphore(value: 0)

  fileprivate init(_ count: Int, _ body: @escaping @Sendable (Int) -> Value) {
    state = Mutex(State(results: [Value?](repeating: nil, count: count), body: body))
  }

  /// Begins work: calls `body` with each number below `count`, which must be above 0.
  ///
  /// - Parameter body: Called on several threads at a time. It must not wait for another call.
  package static func begin(
    _ count: Int, _ body: @escaping @Sendable (Int) -> Value
  ) -> ConcurrentWork {
    begin(count, HelperThreads.shared, body)
  }

  static func begin(
    _ count: Int, _ helpers: HelperThreads, _ body: @escaping @Sendable (Int) -> Value
  ) -> ConcurrentWork {
    precondition(count > 0, "there is no work")
    let work = ConcurrentWork(count, body)
    helpers.offer(count) { work.help() }
    return work
  }

  /// Works until all pieces are taken.
  fileprivate func help() {
    while let (piece, body) = take() {
      let result = body(piece)
      let isLast = state.withLock { state in
        state.results[piece] = result
        state.done += 1
        return state.isDone
      }
      if isLast { finished.signal() }
    }
  }

  private func take() -> (piece: Int, body: @Sendable (Int) -> Value)? {
    state.withLock { state in
      guard let body = state.body, state.taken < state.results.count else { return nil }
      state.taken += 1
      return (state.taken - 1, body)
    }
  }

  /// Works on what is left, waits for the pieces that others have taken, and returns all results.
  package func results() -> [Value] {
    help()
    wait()
    return state.withLock { state in
      state.body = nil
      return state.results.map { result in
        guard let result else { preconditionFailure("a piece was counted and not done") }
        return result
      }
    }
  }

  /// Waits for the pieces that somebody has taken. The others are not done any more.
  package func abandon() {
    let isRunning = state.withLock { state in
      state.body = nil
      state.results.removeLast(state.results.count - state.taken)
      return !state.isDone
    }
    if isRunning { wait() }
  }

  /// Waits until all is done, however often it is called.
  private func wait() {
    finished.wait()
    finished.signal()
  }
}

/// Threads that help others with work in pieces: one for each core but one, started when they are
/// needed. They end when nobody needed them for a while.
final class HelperThreads: Sendable {
  static let shared = HelperThreads(
    max: Cores.count - 1, startingWith: ThreadStart.run)

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
