import LedgerStore
import ServiceLifecycle

/// Ends the service when the disk has failed in a way after which only a process that opens the
/// ledger again can write. Whoever supervises the service starts it again.
///
/// Otherwise it would refuse every append from then on, and still say that it is well. A full disk
/// is not such a failure.
struct DiskWatch: Service {
  /// The time between two looks.
  private static let pause = Duration.milliseconds(500)

  let ledger: Ledger

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        if ledger.mustReopen {
          throw LedgerService.Failure(
            description: "a write to the ledger failed, and what became of it is unknown: start "
              + "the service again, which looks. Check the disk.")
        }
        do { try await Task.sleep(for: Self.pause) } catch { return }
      }
    }
  }
}
