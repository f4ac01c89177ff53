import LedgerStore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Tells many followers when the log has grown, with one watcher for all of them.
final class LogWatch: Service {
  private struct State {
    var next = 0
    var followers: [Int: AsyncStream<UInt64>.Continuation] = [:]
    var position: UInt64 = 0
    var hasEnded = false
  }

  /// How long one look at the log waits at most, so that the end of the service is noticed.
  private static let look = Duration.milliseconds(500)

  /// After how long the same position is told again, so that followers can say that they are alive.
  private static let silence = Duration.seconds(ServiceLimits.followSilenceSeconds)

  private let log: EventLog
  private let logger: Logger
  private let followersMax: Int
  private let onGrowth: @Sendable () -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - log: What is watched.
  ///   - logger: Where it is said that the log cannot be read.
  ///   - followersMax: How many are told at the same time.
  ///   - onGrowth: Called when the log has grown, and once for what was in it before.
  init(
    _ log: EventLog, _ logger: Logger, followersMax: Int = ServiceLimits.followersMax,
    onGrowth: @escaping @Sendable () -> Void = {}
  ) {
    self.log = log
    self.logger = logger
    self.followersMax = followersMax
    self.onGrowth = onGrowth
  }

  func run() async throws {
    defer { end() }
    await cancelWhenGracefulShutdown { await self.watch() }
  }

  private func watch() async {
    var known: UInt64 = 0
    var told = ContinuousClock.now
    while !Task.isCancelled {
      do throws(LedgerError) {
        let last = try await log.lastPosition(beyond: known, timeout: Self.look)
        let now = ContinuousClock.now
        if last > known { onGrowth() }
        if last > known || now - told >= Self.silence {
          tell(last)
          told = now
        }
        known = max(known, last)
      } catch {
        logger.error("the log cannot be watched", metadata: ["reason": "\(error.message)"])
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
      }
    }
  }

  private func tell(_ position: UInt64) {
    let followers = state.withLock { state in
      state.position = position
      return Array(state.followers.values)
    }
    for follower in followers { follower.yield(position) }
  }

  /// Ends all followers: the service stops.
  func end() {
    let followers = state.withLock { state in
      state.hasEnded = true
      defer { state.followers = [:] }
      return Array(state.followers.values)
    }
    for follower in followers { follower.finish() }
  }

  /// Whether the service stops.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  var followerCount: Int { state.withLock { $0.followers.count } }

  /// The last positions of the log, from the present one on; the newest alone for somebody who is
  /// slow. A position that comes again says that nothing was appended for a while. Ends when the
  /// service does, or when its reader does.
  ///
  /// - Throws: ``Problem``: `tooManyRequests`.
  func positions() throws(Problem) -> AsyncStream<UInt64> {
    let (positions, continuation) = AsyncStream<UInt64>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state -> Int? in
      guard !state.hasEnded else {
        continuation.finish()
        return -1
      }
      guard state.followers.count < followersMax else { return nil }
      state.next += 1
      state.followers[state.next] = continuation
      continuation.yield(state.position)
      return state.next
    }
    guard let number else {
      var problem = Problem(
        .tooManyRequests, "\(followersMax) clients follow the log already.")
      problem.retryAfterSeconds = 30
      throw problem
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in _ = state.followers.removeValue(forKey: number) }
    }
    return positions
  }

  /// Waits until the log has reached a position.
  ///
  /// - Throws: ``Problem``: `positionNotReached`, `tooManyRequests`, `unavailable`.
  func reach(_ position: UInt64, within seconds: Int) async throws(Problem) {
    do throws(LedgerError) {
      if try log.lastPosition() >= position { return }
    } catch {
      throw Problem(error)
    }
    let positions = try positions()
    let hasReached = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await last in positions where last >= position { return true }
        return false
      }
      group.addTask {
        // Cancelled when the other has ended, and then nobody asks for its result.
        do {
          let loop = NIOSingletons.posixEventLoopGroup.any()
          try await Pause.wait(.seconds(Int64(seconds)), on: loop)
        } catch { return false }
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    guard !hasReached else { return }
    var problem = Problem(
      .positionNotReached,
      "The log has not reached position \(position) within \(seconds) seconds: is it a position of "
        + "this ledger?")
    problem.retryAfterSeconds = 1
    throw problem
  }
}
