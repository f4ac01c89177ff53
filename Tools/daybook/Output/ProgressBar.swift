import Foundation
import LedgerAnswers
import Synchronization

/// The progress of long work, its speed and its remaining time: a line that rewrites itself on a
/// terminal, and nothing in a pipe.
final class ProgressBar: Sendable {
  /// The number of seconds between two drawings.
  private static let interval = 0.1
  private static let width = 24

  private let title: String
  private let unit: String
  private let isShown: Bool
  private let begun = ContinuousClock.now
  /// When it was drawn last; nil while it is not there.
  private let drawn = Mutex<ContinuousClock.Instant?>(nil)

  init(_ title: String, unit: String) {
    self.title = title
    self.unit = unit
    isShown = Console.isErrorTerminal && !Console.isDumb
  }

  /// Draws, at most ten times a second.
  func show(_ done: UInt64, _ total: UInt64) {
    guard isShown, total > 0 else { return }
    let now = ContinuousClock.now
    let isDue = drawn.withLock { drawn in
      if let drawn, done < total, now - drawn < .seconds(Self.interval) { return false }
      drawn = now
      return true
    }
    guard isDue else { return }
    let share = min(1, Double(done) / Double(total))
    let filled = Int(share * Double(Self.width))
    let bar =
      String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
    let seconds = (now - begun) / .seconds(1)
    let rate = seconds > 0 ? Double(done) / seconds : 0
    var line = "\r\(title) \(bar) \(Int(share * 100))%  \(Self.short(rate)) \(unit)/s"
    if done < total, rate > 0 {
      line += "  \(Self.duration(Double(total - done) / rate)) left"
    }
    Console.write(toError: line + "\u{1B}[K")
  }

  /// Removes the line.
  func end() {
    let wasDrawn = drawn.withLock { drawn in
      defer { drawn = nil }
      return drawn != nil
    }
    if wasDrawn { Console.write(toError: "\r\u{1B}[K") }
  }

  /// A number with at most four characters and a unit.
  static func short(_ number: Double) -> String {
    switch number {
    case 1e9...: "\(Double(Int(number / 1e8)) / 10)G"
    case 1e6...: "\(Double(Int(number / 1e5)) / 10)M"
    case 1e3...: "\(Double(Int(number / 1e2)) / 10)k"
    default: "\(Int(number))"
    }
  }

  private static func duration(_ seconds: Double) -> String {
    let seconds = Int(seconds.rounded(.up))
    return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
  }
}
