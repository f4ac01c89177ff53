import Foundation
import Testing
import TracedProcesses

@Suite(
  "A key file that could not be synced", .serialized,
  .enabled(if: TracedProcess.canTrace, "needs strace (apt-get install strace) and leave to trace"))
struct KeySyncTests {
  private static let calls = ["pwrite64", "fdatasync"]
  /// The bytes of a slot.
  private static let slotBytes = 32
  private static let blockBytes = 4_096 * slotBytes

  private let lab: ProgramLab
  private var keys: String { lab.path("ledger/keys") }

  init() throws {
    lab = try ProgramLab()
    try lab.must("init", lab.path("ledger"))
  }

  /// Runs a command on the ledger and returns its calls about the key file.
  private func record(
    _ arguments: [String], injecting fault: String? = nil
  ) throws -> (ending: ProcessEnding, calls: [String]) {
    try TracedProcess.record(
      arguments + ["--ledger", lab.path("ledger")], calls: Self.calls, about: keys,
      injecting: fault, in: lab.path("trace"))
  }

  /// The numbers of bytes that were written to the key file before the first sync that succeeded.
  private func bytesBeforeSync(_ calls: [String]) -> [Int] {
    calls.prefix { !$0.contains(/fdatasync\(.*= 0$/) }.compactMap { call in
      call.firstMatch(of: /pwrite64\(.* = (\d+)$/).flatMap { Int($0.1) }
    }
  }

  @Test("is written again before anything is encrypted with its keys", arguments: [1, 2])
  func append(sync: Int) throws {
    let first = try record(
      ["append", try lab.purchases(1...1)], injecting: "fdatasync:error=EIO:when=\(sync)")
    #expect(first.ending.status == 74, "\(first.ending.errors)")
    // The system forgets what it could not write, so that a sync alone would prove nothing.
    let second = try record(["append", try lab.purchases(1...1)])
    #expect(second.ending.status == 0, "\(second.ending.errors)")
    #expect(bytesBeforeSync(second.calls).contains(Self.blockBytes), "\(second.calls)")
  }

  @Test("is written again from the first free slot by a process that has not synced it")
  func otherProcess() throws {
    try lab.must("append", try lab.purchases(1...1))
    let before = try Data(contentsOf: URL(fileURLWithPath: keys))
    let found = try record(["append", try lab.purchases(2...2)])
    #expect(found.ending.status == 0)
    #expect(bytesBeforeSync(found.calls) == [Self.blockBytes - Self.slotBytes])
    #expect(try Data(contentsOf: URL(fileURLWithPath: keys)) == before)
  }
}
