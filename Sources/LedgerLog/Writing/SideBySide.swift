internal import Dispatch
internal import Synchronization

/// Returns the results of two pieces of work, which run in parallel if `isWorthIt` is true.
///
/// Use it for work that takes at least about ten microseconds, on threads that may block. It
/// returns when both are done.
func sideBySide<First: Sendable, Second: Sendable, Failure: Error>(
  _ isWorthIt: Bool, _ first: @Sendable () throws(Failure) -> First,
  _ second: @Sendable () throws(Failure) -> Second
) -> (Result<First, Failure>, Result<Second, Failure>) {
  guard isWorthIt else { return (Result(catching: first), Result(catching: second)) }
  let left = Mutex<Result<First, Failure>?>(nil)
  let right = Mutex<Result<Second, Failure>?>(nil)
  DispatchQueue.concurrentPerform(iterations: 2) { piece in
    if piece == 0 {
      let result = Result(catching: first)
      left.withLock { $0 = result }
    } else {
      let result = Result(catching: second)
      right.withLock { $0 = result }
    }
  }
  guard let one = left.withLock({ $0 }), let other = right.withLock({ $0 }) else {
    preconditionFailure("both pieces have run")
  }
  return (one, other)
}
