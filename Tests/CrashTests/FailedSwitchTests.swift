import Testing
import TracedProcesses

@Suite(
  "A rebuild whose switch to the new projections fails",
  .enabled(if: TracedProcess.canTrace, "needs strace (apt-get install strace) and leave to trace"))
struct FailedSwitchTests {
  private let lab: ProgramLab

  init() throws {
    lab = try ProgramLab()
    try lab.must("init", lab.path("ledger"))
    try lab.must("append", try lab.purchases(1...3), "--ledger", lab.path("ledger"))
  }

  /// Rebuilds in a process that has the previous projections open, with a fault in a call about the
  /// log's file.
  private func rebuild(_ fault: String? = nil) throws -> (said: [String], calls: [String]) {
    let recorded = try TracedProcess.record(
      ["rebuild", lab.path("ledger"), "customer-1"], of: "CrashChild", calls: ["pwrite64"],
      about: lab.path("ledger/log/data.mdb"), injecting: fault, in: lab.path("trace"))
    return (recorded.ending.output.split(separator: "\n").map(String.init), recorded.calls)
  }

  @Test("leaves the previous ones to those who read them, and to everybody afterwards")
  func fails() throws {
    let whole = try rebuild()
    #expect(whole.said == ["rebuilt", "1 in the view", "1 now", "done"])
    // The log is written for the number of the new generation.
    #expect(whole.calls.contains { $0.contains("pwrite64(") }, "\(whole.calls)")
    let failed = try rebuild("pwrite64:error=EIO:when=1")
    #expect(failed.said == ["refused outcomeUnknown", "1 in the view", "1 now", "done"])
    // The next process finds them, too, and can rebuild.
    #expect(try rebuild().said == whole.said)
  }
}
