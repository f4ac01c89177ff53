import ArgumentParser
import Foundation
import LedgerEvents
import LedgerStore
import LocalTime

/// The zone and the moment by which this run reads and prints times.
enum TimeFrame {
  /// The moment at which the run first used it.
  static let now = EventLog.systemClock()

  /// `--tz`, else the variable `TZ`, else the system's zone.
  ///
  /// The command line is searched here, because the meaning of a time depends on an option that may
  /// come after it. The parser checks the option.
  static let zone: Zone = {
    let words = CommandLine.arguments
    for (index, word) in words.enumerated().reversed() {
      if word.hasPrefix(option + "=") {
        return Zone(name: String(word.dropFirst(option.count + 1))) ?? .utc
      }
      if word == option, index + 1 < words.count { return Zone(name: words[index + 1]) ?? .utc }
    }
    guard let variable = ProcessInfo.processInfo.environment["TZ"] else { return .system }
    if let zone = Zone(variable: variable) { return zone }
    Console.complain(
      "warning: TZ=\(variable.printable) names no time zone that daybook knows, so "
        + "times are in UTC. Name one with --tz, such as --tz Europe/Berlin.")
    return .utc
  }()

  static let times = SpokenTime(in: zone, now: now)

  private static let option = "--tz"
}

/// The zone of a run.
struct ZoneOptions: ParsableArguments {
  @Option(
    name: .customLong("tz"),
    help: ArgumentHelp(
      "Read and print times in this time zone, such as Europe/Berlin (default: the system's; "
        + "moments in JSON are always UTC).",
      valueName: "zone"),
    completion: .custom { _, _, _ in Zone.names }, transform: Self.zone)
  var zone: Zone?

  private static func zone(_ text: String) throws -> Zone {
    if let zone = Zone(name: text) { return zone }
    let near = Spelling.nearest(to: text, among: Zone.names).map { "; did you mean \($0)?" }
    throw ValidationError(
      "there is no time zone \(text)\(near ?? ": expected a name such as Europe/Berlin or UTC.")")
  }
}

extension Instant {
  /// The moment for people, in the zone of this run.
  var shown: String { TimeFrame.zone.text(of: self) }
}
