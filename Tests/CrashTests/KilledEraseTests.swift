import Foundation
import LedgerEvents
import Testing
import TracedProcesses

@Suite(
  "An erasure that is killed at a call to the system", .serialized,
  .enabled(if: TracedProcess.canTrace, "needs strace (apt-get install strace) and leave to trace"))
struct KilledEraseTests {
  private static let calls = [
    "write", "pwrite64", "pwritev", "fsync", "fdatasync", "msync", "flock",
  ]

  @Test("leaves the customer known or forgotten, and run again ends as if nothing had happened")
  func killed() throws {
    let lab = try ErasureLab()
    let program = try TracedProcess.executable()
    let whole = try lab.copy()
    let trace = try CallTrace(
      program, lab.erase(whole), about: whole, in: lab.folder.appending(path: "trace"))
    #expect(try lab.faultsAtTheEnd(whole) == [])
    var kills = 0
    for call in Self.calls {
      for number in trace.ranges[call] ?? 1...1 {
        let sandbox = try lab.copy()
        let what = "killed at \(call) \(number)"
        let ending = try TracedProcess.run(
          program, lab.erase(sandbox), injecting: "signal=KILL", into: call, at: "\(number)")
        if ending.isKilled { kills += 1 }
        #expect(try lab.faultsAfterTheKill(sandbox) == [], "\(what)")
        let again = try TracedProcess.run(lab.erase(sandbox))
        #expect(again.status == 0, "\(what): \(again.errors)")
        #expect(try lab.faultsAtTheEnd(sandbox) == [], "\(what)")
        try lab.remove(sandbox)
      }
    }
    // Setting a mark, the event, the slots, the keys, and removing the mark.
    #expect(kills > 10)
  }

  @Test("would be found out if it destroyed the keys before the log says so")
  func control() throws {
    let lab = try ErasureLab()
    let child = try TracedProcess.executable("CrashChild")
    var found: [String] = []
    for number in 1...6 {
      let sandbox = try lab.copy()
      _ = try TracedProcess.run(
        child, ["forget", sandbox, ErasureLab.account.text], injecting: "signal=KILL",
        into: "fdatasync", at: "\(number)")
      found += try lab.faultsAfterTheKill(sandbox)
      try lab.remove(sandbox)
    }
    #expect(found.contains { $0.hasPrefix("left: ") })
    #expect(found.contains { $0.hasSuffix("is lost") })
  }
}
