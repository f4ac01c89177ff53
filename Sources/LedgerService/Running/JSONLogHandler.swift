import Foundation
import LedgerAnswers
import LedgerEvents
import LedgerStore
import Logging
import Synchronization

/// Writes each message as a line of JSON on standard error.
struct JSONLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level
  private let label: String
  private let output: LogOutput

  /// - Parameters:
  ///   - label: The part of the service that speaks.
  ///   - level: What is less important is left out.
  ///   - output: Where lines go.
  init(label: String, level: Logger.Level, output: LogOutput) {
    (self.label, logLevel, self.output) = (label, level, output)
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
    output.write(
      JSONText.text { json in
        json.object { json in
          json.member("time", EventLog.systemClock().rfc3339)
          json.member("level", event.level.rawValue)
          json.member("label", label)
          json.member("message", "\(event.message)")
          for (name, value) in all.sorted(by: { $0.key < $1.key }) {
            json.member(name, "\(value)")
          }
        }
      })
  }
}

/// Where log lines go, each in one piece.
final class LogOutput: Sendable {
  private let lock = Mutex(())

  func write(_ line: String) {
    lock.withLock { _ in
      do {
        try FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
      } catch {
        // There is nowhere left to complain, and requests go on.
        return
      }
    }
  }
}
