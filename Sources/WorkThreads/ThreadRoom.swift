internal import Dispatch

/// Whether the system leaves room for threads.
package enum ThreadRoom {
  /// Whether the system starts a number of threads more, at the same time.
  ///
  /// For programs whose libraries cannot do without: Dispatch waits for a thread for ever, and
  /// SwiftNIO ends the process. Somebody else may still take the room afterwards.
  ///
  /// - Complexity: O(*n*) in the number.
  package static func isFree(for count: Int) -> Bool {
    isFree(for: count, startingWith: ThreadStart.run)
  }

  static func isFree(
    for count: Int, startingWith start: (@escaping @Sendable () -> Void) -> Bool
  ) -> Bool {
    let (release, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var started = 0
    while started < count {
      let isStarted = start {
        release.wait()
        ended.signal()
      }
      if !isStarted { break }
      started += 1
    }
    for _ in 0..<started { release.signal() }
    for _ in 0..<started { ended.wait() }
    return started == count
  }
}
