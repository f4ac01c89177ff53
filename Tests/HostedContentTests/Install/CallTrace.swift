import Foundation
import Testing

/// Which calls to the system a command makes, and how many of each: where faults can be put.
struct CallTrace {
  /// The calls of a name that can be hit, counted from 1 in each thread.
  ///
  /// What a process does before it opens the ledger, such as to load its libraries, is left out.
  /// Where a thread of the ledger makes calls of a name of which the main thread has made as many
  /// before, the main thread's are hit; the ledger's own are its crash tests' to judge.
  let ranges: [String: ClosedRange<Int>]

  init(of lab: InstallLab, from state: URL? = nil, _ command: ((URL) -> [String])? = nil) throws {
    let place = try lab.copy(of: state)
    let words = command?(place) ?? lab.install("1.1", place)
    let path = lab.folder.appending(path: "trace").path
    let tracer = try #require(InstallLab.tracer)
    let ending = try InstallLab.run(
      tracer, ["-f", "-o", path, try InstallLab.executable()] + words)
    try #require(ending.status == 0, "\(ending.errors)")
    var counts: [String: [Substring: Int]] = [:]
    var before: [String: Int]?
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
      guard let match = line.firstMatch(of: /^(\d+) +([a-z0-9_]+)\(/) else { continue }
      // The arguments name the ledger, too.
      if before == nil, match.2 != "execve", line.contains(lab.ledger(place)) {
        before = counts.mapValues { $0.values.max() ?? 0 }
      }
      counts[String(match.2), default: [:]][match.1, default: 0] += 1
    }
    let start = try #require(before)
    var ranges: [String: ClosedRange<Int>] = [:]
    for (name, threads) in counts where !Self.last.contains(name) {
      let first = (start[name] ?? 0) + 1
      if let last = threads.values.max(), last >= first { ranges[name] = first...last }
    }
    self.ranges = ranges
    try lab.remove(place)
  }

  /// A process that has made its last call is not there to be killed.
  private static let last: Set<String> = ["exit", "exit_group", "execve"]
}
