import HTTPTypes
import Logging
import Synchronization

/// Says why requests could not be answered, for those who run the service: their clients know it
/// from the answers, and operators do not see those.
final class FaultLog: Sendable {
  private let told = Mutex<[String: ContinuousClock.Instant]>([:])

  /// Says a reason, unless it was said a short while ago.
  ///
  /// What is no fault of this machine is left out: a client can cause it as often as it likes.
  func tell(_ problem: Problem, _ logger: Logger, at now: ContinuousClock.Instant = .now) {
    guard problem.isFault else { return }
    let isNew = told.withLock { told in
      if let last = told[problem.detail], now - last < ServiceLimits.faultPause { return false }
      if told.count >= ServiceLimits.faultsMax { told = [:] }
      told[problem.detail] = now
      return true
    }
    guard isNew else { return }
    logger.error(
      "a request could not be answered",
      metadata: ["status": "\(problem.status.code)", "reason": "\(problem.detail)"])
  }
}
