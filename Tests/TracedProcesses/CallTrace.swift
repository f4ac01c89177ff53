public import Foundation

/// The system calls of a command and their numbers, as points at which to inject faults.
public struct CallTrace {
  /// The calls with a name that can be intercepted, counted from 1 in each thread.
  ///
  /// Calls before the process opens the ledger, for example to load its libraries, are left out. If
  /// a thread of the ledger makes calls with the same name and count, the main thread's are
  /// intercepted. The ledger's own calls are covered by its crash tests.
  public let ranges: [String: ClosedRange<Int>]

  /// Runs a command until it exits, and records its calls.
  ///
  /// - Parameters:
  ///   - program: The path of an executable.
  ///   - words: The arguments.
  ///   - ledger: The ledger that the command uses.
  ///   - trace: A file for recording the calls.
  public init(_ program: String, _ words: [String], about ledger: String, in trace: URL) throws {
    guard let tracer = TracedProcess.tracer else {
      throw TracedProcess.Failure("strace is not installed")
    }
    let ending = try TracedProcess.run(tracer, ["-f", "-o", trace.path, program] + words)
    guard ending.status == 0 else { throw TracedProcess.Failure(ending.errors) }
    var counts: [String: [Substring: Int]] = [:]
    var before: [String: Int]?
    for line in try String(contentsOf: trace, encoding: .utf8).split(separator: "\n") {
      guard let match = line.firstMatch(of: /^(\d+) +([a-z0-9_]+)\(/) else { continue }
      // The arguments name the ledger, too.
      if before == nil, match.2 != "execve", line.contains(ledger) {
        before = counts.mapValues { $0.values.max() ?? 0 }
      }
      counts[String(match.2), default: [:]][match.1, default: 0] += 1
    }
    guard let start = before else { throw TracedProcess.Failure("\(ledger) was not opened") }
    var ranges: [String: ClosedRange<Int>] = [:]
    for (name, threads) in counts where !Self.last.contains(name) {
      let first = (start[name] ?? 0) + 1
      if let last = threads.values.max(), last >= first { ranges[name] = first...last }
    }
    self.ranges = ranges
  }

  /// The last calls of a process, after which it cannot be killed.
  private static let last: Set<String> = ["exit", "exit_group", "execve"]
}
