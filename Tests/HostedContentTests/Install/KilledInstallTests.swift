import Foundation
import Testing
import TracedProcesses

/// The calls that change files or their order on the disk, and those that allocate space.
let changingCalls = [
  "mkdir", "mkdirat", "symlinkat", "renameat", "renameat2", "unlinkat", "linkat", "write",
  "pwrite64", "writev", "ftruncate", "fsync", "fdatasync", "syncfs", "flock",
]

@Suite(
  "An install that copies straight to its place and is killed", .serialized,
  .enabled(if: TracedProcess.canTrace, "needs strace (apt-get install strace) and leave to trace"))
struct KilledCarelessInstallTests {
  @Test("would be found out if it copied straight to where the version belongs")
  func control() throws {
    let lab = try InstallLab()
    let child = try TracedProcess.executable("InstallChild")
    var found: [String] = []
    for call in ["write", "renameat", "symlinkat", "fdatasync", "mkdir", "mkdirat"] {
      var number = 1
      while true {
        let sandbox = try lab.copy()
        defer { clear(lab, sandbox) }
        let arguments = [lab.package("1.1"), lab.root(sandbox), lab.ledger(sandbox)]
        let ending = try TracedProcess.run(
          child, arguments, injecting: "signal=KILL", into: call, at: "\(number)")
        guard ending.isKilled else { break }
        found += try lab.faultsInSight(sandbox)
        let again = try TracedProcess.run(child, arguments)
        if again.status == 0 { found += try lab.faultsAtTheEnd(sandbox) }
        number += 1
      }
    }
    #expect(found.contains { $0.contains("is there and not whole") })
    #expect(found.contains { $0.contains("installed 2 times") || $0.contains("ends 0") })
  }
}

/// `DAYBOOK_LONG=1` kills at every call, and lets every one fail. Otherwise a part of them is
/// taken, and one first kill stands for all.
let isLong = ProcessInfo.processInfo.environment["DAYBOOK_LONG"] == "1"

@Suite(
  "HeavyInstall: an install that is killed at any call to the system", .serialized,
  .enabled(if: TracedProcess.canTrace, "needs strace (apt-get install strace) and leave to trace"))
struct HeavyKilledInstallTests {
  @Test("leaves the old version or the new one, and run again ends as if nothing had happened")
  func all() throws {
    let lab = try InstallLab()
    var kills = 0
    let calls = try lab.trace()
    for call in calls.ranges.keys.sorted() {
      let step = isLong || changingCalls.contains(call) ? 1 : 6
      kills += try killing(lab, call, calls, step: step)
    }
    print("killed at \(kills) calls of \(calls.ranges.count) names")
    #expect(kills > (isLong ? 150 : 50))
  }

  @Test(
    "and whose second run is killed, too, ends well at the third",
    arguments: isLong
      ? [("syncfs", 1), ("renameat2", 1), ("renameat", 1), ("unlinkat", 1)] : [("renameat2", 1)])
  func twice(_ call: String, _ number: Int) throws {
    let lab = try InstallLab()
    for second in changingCalls {
      var at = 1
      while true {
        let sandbox = try lab.copy()
        defer { clear(lab, sandbox) }
        let command = lab.install("1.1", sandbox)
        let program = try TracedProcess.executable()
        let first = try TracedProcess.run(
          program, command, injecting: "signal=KILL", into: call, at: "\(number)")
        #expect(first.isKilled)
        let again = try TracedProcess.run(
          program, command, injecting: "signal=KILL", into: second, at: "\(at)")
        #expect(try lab.faultsInSight(sandbox) == [], "\(second) \(at)")
        guard again.isKilled else { break }
        let third = try TracedProcess.run(command)
        #expect(third.status == 0, "\(second) \(at): \(third.errors)")
        #expect(try lab.faultsAtTheEnd(sandbox) == [], "\(second) \(at)")
        at += isLong ? 1 : 2
      }
    }
  }
}

/// Kills an install at each call with a name, or at each `step`-th, checks the result, and runs it
/// again.
private func killing(
  _ lab: InstallLab, _ call: String, _ calls: CallTrace, step: Int = 1
) throws -> Int {
  let program = try TracedProcess.executable()
  var kills = 0
  let range = calls.ranges[call] ?? 1...1
  for number in stride(from: range.lowerBound, through: range.upperBound, by: step) {
    let sandbox = try lab.copy()
    defer { clear(lab, sandbox) }
    let command = lab.install("1.1", sandbox)
    let ending = try TracedProcess.run(
      program, command, injecting: "signal=KILL", into: call, at: "\(number)")
    let what = "killed at \(call) \(number)"
    #expect(try lab.faultsInSight(sandbox) == [], "\(what)")
    // The number of waits and wakeups differs from run to run.
    if !ending.isKilled { #expect(ending.status == 0, "\(what): \(ending.errors)") }
    let again = try TracedProcess.run(command)
    #expect(again.status == 0, "\(what): \(again.errors)")
    #expect(try lab.faultsAtTheEnd(sandbox) == [], "\(what)")
    if ending.isKilled { kills += 1 }
  }
  return kills
}

/// Removes a copy that is no longer needed. If that fails, it is removed with the lab.
private func clear(_ lab: InstallLab, _ sandbox: URL) {
  do { try lab.remove(sandbox) } catch { print("left \(sandbox.path)") }
}
