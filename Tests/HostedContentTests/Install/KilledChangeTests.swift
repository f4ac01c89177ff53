import Foundation
import LedgerEvents
import Testing
import TracedProcesses

@Suite(
  "A change of installed content that is killed at a call to the system", .serialized,
  .enabled(if: TracedProcess.canTrace, "needs strace (apt-get install strace) and leave to trace"))
struct KilledChangeTests {
  private static let changes: [[String]] = [
    ["switch", InstallLab.product, "1.0"],
    ["remove", InstallLab.product, "1.0"],
    ["remove", InstallLab.product, "--all"],
    ["prune", "--keep", "1"],
  ]

  /// Every third call, another third in each change; with `DAYBOOK_LONG=1` every call.
  @Test("is done or not, and with the next change the ledger says so", arguments: changes)
  func killed(_ change: [String]) throws {
    let lab = try InstallLab()
    let state = try lab.copy()
    try #require(try TracedProcess.run(lab.install("1.1", state)).status == 0)
    let program = try TracedProcess.executable()
    let command = { (sandbox: URL) in lab.content(change[0], Array(change.dropFirst()), sandbox) }
    let calls = try lab.trace(of: state, command)
    let whole = try lab.copy(of: state)
    try #require(try TracedProcess.run(command(whole)).status == 0)
    let expected = try lab.events(whole).map(\.type.text)
    var kills = 0
    let points = changingCalls.flatMap { call in
      (calls.ranges[call] ?? 1...1).map { (call: call, number: $0) }
    }
    let first = isLong ? 0 : (Self.changes.firstIndex(of: change) ?? 0) % 3
    for index in stride(from: first, to: points.count, by: isLong ? 1 : 3) {
      let (call, number) = points[index]
      let sandbox = try lab.copy(of: state)
      let what = "\(change) killed at \(call) \(number)"
      let ending = try TracedProcess.run(
        program, command(sandbox), injecting: "signal=KILL", into: call, at: "\(number)")
      if ending.isKilled { kills += 1 }
      #expect(try lab.faultsInSight(sandbox) == [], "\(what)")
      // If the recovery completed the change, there is nothing left to do.
      let again = try TracedProcess.run(command(sandbox))
      #expect([0, 66].contains(again.status), "\(what): \(again.errors)")
      #expect(try lab.events(sandbox).map(\.type.text) == expected, "\(what)")
      #expect(try lab.attemptsLeft(sandbox) == [], "\(what)")
      #expect(try lab.faultsInSight(sandbox) == [], "\(what)")
      #expect(try lab.faultsOfAudit(sandbox) == [], "\(what)")
      try lab.remove(sandbox)
    }
    #expect(kills > 3)
  }
}
