import Synchronization
import UnixSignals

/// SIGINT and SIGTERM as a flag: what was read is committed and answered first.
final class StopSignal: Sendable {
  private let received = Atomic<Bool>(false)

  init() {
    Task { [self] in
      for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
        received.store(true, ordering: .releasing)
      }
    }
  }

  var isReceived: Bool { received.load(ordering: .acquiring) }
}
