public import Foundation

/// Which calls to the system a command makes, and how many of each: where faults can be put.
public struct CallTrace {
  /// The calls of a name that can be hit, counted from 1 in each thread.
  ///
  /// What a process does before it opens the ledger, such as to load its libraries, is left out.
  /// Where a thread of the ledger makes calls of a name of which the main thread has made as many
  /// before, the main thread's are hit; the ledger's own are its crash tests' to judge.
  public let ranges: [String: ClosedRange<Int>]

  /// Runs a command to its end, and notes its calls.
  ///
  /// - Parameters:
  ///   - program: An executable.
  ///   - words: What it is called with.
  ///   - ledger: The ledger that the command is about.
  ///   - trace: A file to note the calls in.
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

  /// A process that has made its last call is not there to be killed.
  private static let last: Set<String> = ["exit", "exit_group", "execve"]
}
