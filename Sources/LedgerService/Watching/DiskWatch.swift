import LedgerStore
import Logging
import ServiceLifecycle

/// Ends the service when the disk has failed in a way after which only a process that opens the
/// ledger again can write. Whoever supervises the service starts it again.
///
/// Otherwise it would refuse every append from then on, and still say that it is well. A full disk
/// is not such a failure. If events cannot be folded, be it for a full disk, the log says so.
///
/// It ends, too, when somebody has moved the ledger or put another one in its place: it would go on
/// to acknowledge events into a folder that nobody looks at.
struct DiskWatch: Service {
  /// The time between two looks.
  private static let pause = Duration.milliseconds(500)
  /// How many looks in a row must find the ledger moved: whoever moves it may be about to undo it.
  private static let looksMoved = 2

  let ledger: Ledger
  let logger: Logger

  func run() async throws {
    try await cancelWhenGracefulShutdown { try await watch() }
  }

  private func watch() async throws {
    var told: String?
    var moved = 0
    while !Task.isCancelled {
      if ledger.mustReopen {
        throw LedgerService.Failure(
          description: "a write to the ledger failed, and what became of it is unknown: start "
            + "the service again, which looks. Check the disk.")
      }
      moved = ledger.isElsewhere ? moved + 1 : 0
      guard moved < Self.looksMoved else {
        throw LedgerService.Failure(
          description: "the ledger \(ledger.path) was moved, removed or replaced while the service "
            + "had it open. What was acknowledged meanwhile is in the one that was moved. Stop the "
            + "service before you change a ledger over.")
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
