import Foundation
import LedgerEvents
import StorePull

/// The clock of the machine.
struct SystemClock: PullClock {
  var now: Instant {
    Instant(microseconds: Int64(Date().timeIntervalSince1970 * Double(Instant.second)))
  }

  func wait(_ microseconds: Int64) async {
    do { try await Task.sleep(for: .microseconds(microseconds)) } catch {
      // A task that is cancelled does not wait: the program is about to end.
      return
    }
  }

  var chance: Double { Double.random(in: 0..<1) }
}
