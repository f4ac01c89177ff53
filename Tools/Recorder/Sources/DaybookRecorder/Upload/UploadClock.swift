/// How an upload waits. Tests pass others.
public struct UploadClock: Sendable {
  /// Waits between two requests, for seconds. Throws when the task was cancelled.
  public var wait: @Sendable (Double) async throws -> Void
  /// Waits until a request has taken too long, for seconds. Throws when the task was cancelled,
  /// which it is as soon as the server has answered.
  public var limit: @Sendable (Double) async throws -> Void

  /// The device's clock.
  public init() {
    wait = { try await Task.sleep(nanoseconds: UInt64($0 * 1_000_000_000)) }
    limit = wait
  }
}

extension UploadClock {
  /// A request that has taken too long.
  struct TimedOut: Error, CustomStringConvertible {
    var seconds: Double
    var description: String { "no answer within \(Int(seconds)) seconds" }
  }

  private typealias Answer = CheckedContinuation<UploadAnswer, any Error>

  /// Sends something, and returns after `seconds` at the latest, or when the task was cancelled:
  /// even if the request does not end then, the upload goes on.
  func answer(
    within seconds: Double, _ send: @escaping @Sendable () async throws -> UploadAnswer
  ) async throws -> UploadAnswer {
    let waiting = Locked<Answer?>(nil)
    let end: @Sendable (Result<UploadAnswer, any Error>) -> Void = { result in
      let answer = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      answer?.resume(with: result)
    }
    let tasks = Locked<[Task<Void, Never>]>([])
    let stop: @Sendable () -> Void = { for task in tasks.withLock({ $0 }) { task.cancel() } }
    defer { stop() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        let started = [
          Task {
            do { end(.success(try await send())) } catch { end(.failure(error)) }
          },
          Task {
            do { try await limit(seconds) } catch { return }
            end(.failure(TimedOut(seconds: seconds)))
          },
        ]
        tasks.withLock { $0 = started }
        // A task that was cancelled before has nobody else to end it.
        if Task.isCancelled { end(.failure(CancellationError())) }
      }
    } onCancel: {
      end(.failure(CancellationError()))
    }
  }
}
