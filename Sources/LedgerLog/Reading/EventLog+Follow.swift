internal import Dispatch
internal import Synchronization

/// Notifies those who follow the log when this process has appended.
final class AppendSignal: Sendable {
  private struct Waiters {
    var next = 0
    var wakers: [Int: @Sendable () -> Void] = [:]
  }

  private let waiters = Mutex(Waiters())

  /// Wakes all waiters.
  func notify() {
    let wakers = waiters.withLock { waiters in
      defer { waiters.wakers.removeAll(keepingCapacity: true) }
      return Array(waiters.wakers.values)
    }
    for wake in wakers { wake() }
  }

  /// Calls `wake` once, at the next append of this process, unless it is removed first.
  func add(_ wake: @escaping @Sendable () -> Void) -> Int {
    waiters.withLock { waiters in
      waiters.next += 1
      waiters.wakers[waiters.next] = wake
      return waiters.next
    }
  }

  func remove(_ number: Int) {
    waiters.withLock { waiters in _ = waiters.wakers.removeValue(forKey: number) }
  }
}

extension EventLog {
  /// How often the log is checked for appends of other processes.
  static let pollInterval = Duration.milliseconds(5)

  /// Blocks until the log has events after `position` or the timeout has elapsed.
  ///
  /// Appends of this process wake the caller at once. Those of others are noticed within 5 ms.
  ///
  /// - Returns: The log's last position.
  /// - Throws: ``LedgerError`` if the log cannot be read.
  @available(*, noasync, message: "blocks its thread; use lastPosition(beyond:timeout:)")
  public func wait(
    beyond position: UInt64, timeout: Duration
  ) throws(LedgerError) -> UInt64 {
    let deadline = ContinuousClock.now + timeout
    while true {
      let wakened = DispatchSemaphore(value: 0)
      let number = writer.signal.add { wakened.signal() }
      defer { writer.signal.remove(number) }
      let last = try lastPosition()
      let left = deadline - ContinuousClock.now
      if last > position || left <= .zero { return last }
      let (seconds, attoseconds) = min(left, EventLog.pollInterval).components
      let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
      _ = wakened.wait(timeout: .now() + .nanoseconds(nanoseconds))
    }
  }

  /// Suspends until the log has events after `position` or the timeout has elapsed.
  ///
  /// Appends of this process wake the caller at once. Those of others are noticed within 5 ms.
  ///
  /// - Returns: The log's last position, also if the task is cancelled.
  /// - Throws: ``LedgerError`` if the log cannot be read.
  public func lastPosition(
    beyond position: UInt64, timeout: Duration
  ) async throws(LedgerError) -> UInt64 {
    let deadline = ContinuousClock.now + timeout
    while true {
      let (wakened, waker) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let number = writer.signal.add { waker.finish() }
      defer { writer.signal.remove(number) }
      let last = try lastPosition()
      let left = deadline - ContinuousClock.now
      if last > position || left <= .zero || Task.isCancelled { return last }
      let alarm = Task {
        // If the alarm is cancelled, nobody waits for it any more, so the error that ends its sleep
        // is ignored.
        defer { waker.finish() }
        try await Task.sleep(for: min(left, EventLog.pollInterval))
      }
      for await _ in wakened {}
      alarm.cancel()
    }
  }
}
