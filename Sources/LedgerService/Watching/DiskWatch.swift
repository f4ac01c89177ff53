import LedgerStore
import Logging
import ServiceLifecycle

/// Ends the service when the disk has failed in a way after which only a process that opens the
/// ledger again can write. Whoever supervises the service starts it again.
///
/// Otherwise it would refuse every append from then on, and still say that it is well. A full disk
/// is not such a failure. If events cannot be folded, be it for a full disk, the log says so.
struct DiskWatch: Service {
  /// The time between two looks.
  private static let pause = Duration.milliseconds(500)

  let ledger: Ledger
  let logger: Logger

  func run() async throws {
    try await cancelWhenGracefulShutdown { try await watch() }
  }

  private func watch() async throws {
    var told: String?
    while !Task.isCancelled {
      if ledger.mustReopen {
        throw LedgerService.Failure(
          description: "a write to the ledger failed, and what became of it is unknown: start "
            + "the service again, which looks. Check the disk.")
      }
      told = tellOfFold(after: told)
      do { try await Task.sleep(for: Self.pause) } catch { return }
    }
  }

  /// Says why nothing is folded, once for each reason, and when that is over.
  ///
  /// - Parameter told: The reason that was said last; `nil` if all was well.
  /// - Returns: The present reason.
  func tellOfFold(after told: String?) -> String? {
    let failure = ledger.foldFailure
    guard failure != told else { return told }
    if let failure {
      logger.error("events cannot be folded", metadata: ["reason": "\(failure)"])
    } else {
      logger.notice("events are folded again")
    }
    return failure
  }
}
