internal import Dispatch
internal import Synchronization

/// Runs blocks in the background, one at a time, on a thread that is started when there is one to
/// run and that ends when there was none for a while.
package final class BackgroundThread: Sendable {
  /// How long a thread without work waits for more.
  private static let idleTimeMax = Duration.seconds(5)

  private struct Job {
    let due: ContinuousClock.Instant
    let body: @Sendable () -> Void
  }

  private struct State {
    /// In the order in which they are due.
    var jobs: [Job] = []
    var hasThread = false
  }

  private enum Step {
    case run(@Sendable () -> Void)
    case wait(Duration)
    case end
  }

  private let state = Mutex(State())
  private let woken = DispatchSemaphore(value: 0)
  private let starts: @Sendable (@escaping @Sendable () -> Void) -> Bool

  package convenience init() { self.init(startingWith: ThreadStart.run) }

  /// Starts threads with `starts`, which returns whether it has done so: tests let it fail.
  package init(startingWith starts: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool) {
    self.starts = starts
  }

  /// Runs `body` in the background, after those that are due earlier.
  ///
  /// - Returns: Whether it will run. If not, the system starts no thread, and the caller has to do
  ///   the work itself or to say that it cannot be done.
  /// - Complexity: O(*n*) in the number of blocks that wait, which is one or two.
  package func run(
    after delay: Duration = .zero, _ body: @escaping @Sendable () -> Void
  ) -> Bool {
    let due = ContinuousClock.now + delay
    let isRunning = state.withLock { state in
      // Under the lock, so that nobody relies on a thread that is not started after all.
      if !state.hasThread { state.hasThread = starts { self.work() } }
      guard state.hasThread else { return false }
      let at = state.jobs.firstIndex { $0.due > due } ?? state.jobs.endIndex
      state.jobs.insert(Job(due: due, body: body), at: at)
      return true
    }
    if isRunning { woken.signal() }
    return isRunning
  }

  private func work() {
    var idleSince = ContinuousClock.now
    while true {
      switch step(idleSince) {
      case .run(let body):
        body()
        idleSince = .now
      case .wait(let time):
        let (seconds, attoseconds) = time.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000) + 1
        _ = woken.wait(timeout: .now() + .nanoseconds(nanoseconds))
      case .end: return
      }
    }
  }

  private func step(_ idleSince: ContinuousClock.Instant) -> Step {
    state.withLock { state in
      let now = ContinuousClock.now
      if let first = state.jobs.first {
        if first.due > now { return .wait(first.due - now) }
        state.jobs.removeFirst()
        return .run(first.body)
      }
      let left = Self.idleTimeMax - (now - idleSince)
      if left > .zero { return .wait(left) }
      state.hasThread = false
      return .end
    }
  }
}
