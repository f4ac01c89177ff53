import Foundation
import LedgerEvents
import LedgerStore
import Synchronization

/// The present as the header `Date` has it (RFC 9110, section 5.6.7), written once a second.
final class ResponseDates: Sendable {
  private struct Written {
    var second: Int64
    var text: String
  }

  private let last = Mutex(Written(second: .min, text: ""))
  private let clock: @Sendable () -> Instant

  /// - Parameter clock: Returns the present; for tests.
  init(clock: @escaping @Sendable () -> Instant = EventLog.systemClock) { self.clock = clock }

  var now: String {
    let second = clock().microseconds / Instant.second
    return last.withLock { last in
      if last.second != second {
        last = Written(second: second, text: Self.text(Date(timeIntervalSince1970: Double(second))))
      }
      return last.text
    }
  }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func text(_ date: Date) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents(
      [.year, .month, .day, .weekday, .hour, .minute, .second], from: date)
    guard let year = parts.year, let month = parts.month, let day = parts.day,
      let weekday = parts.weekday, let hour = parts.hour, let minute = parts.minute,
      let second = parts.second
    else { preconditionFailure("the calendar gives what it is asked for") }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(days[weekday - 1]), \(two(day)) \(months[month - 1]) \(year) "
      + "\(two(hour)):\(two(minute)):\(two(second)) GMT"
  }
}
