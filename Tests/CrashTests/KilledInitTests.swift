import Foundation
import Testing
import TracedProcesses

@Suite(
  "The making of a ledger", .serialized,
  .enabled(if: TracedProcess.canTrace, "needs strace (apt-get install strace) and leave to trace"))
struct KilledInitTests {
  private static let calls = ["mkdir", "pwrite64", "fdatasync"]

  private let lab: ProgramLab
  private let events: String

  init() throws {
    lab = try ProgramLab()
    events = try lab.purchases(1...1)
  }

  @Test("that is killed leaves a whole ledger, or one that says to run init again, which works")
  func killed() throws {
    let program = try TracedProcess.executable()
    let trace = try CallTrace(
      program, ["init", lab.path("whole")], about: lab.path("whole"),
      in: lab.folder.appending(path: "trace"))
    var refused = 0
    for call in Self.calls {
      for number in trace.ranges[call] ?? 1...1 {
        _ = try TracedProcess.run(
          program, ["init", lab.path("ledger")], injecting: "signal=KILL", into: call,
          at: "\(number)")
        let what = Comment(rawValue: "killed at \(call) \(number)")
        if try lab.run("verify").status == 66 {
          refused += 1
          for arguments in [["append", events], ["stats"]] {
            let answer = try TracedProcess.run(arguments + ["--ledger", lab.path("ledger")])
            #expect(answer.status == 66, what)
            #expect(answer.errors.contains("daybook init \(lab.path("ledger"))"), what)
          }
          #expect(try lab.run("init", lab.path("ledger")).status == 0, what)
        }
        try expectWhole(what)
        try lab.remove("ledger", "copy", "restored")
      }
    }
    // Both outcomes were seen.
    #expect(refused > 5)
    #expect(refused < trace.ranges.values.map(\.count).reduce(0, +))
  }

  /// Expects a ledger that appends, answers, and is backed up into something that can be restored.
  private func expectWhole(_ what: Comment) throws {
    #expect(try lab.run("append", events).status == 0, what)
    let answer = try lab.run("entitlements", "customer-1")
    #expect(answer.status == 0, "\(what): \(answer.errors)")
    #expect(answer.output.contains("atlas"), what)
    #expect(try lab.run("backup", lab.path("copy"), "--operator", "kim").status == 0, what)
    let restored = try lab.run(
      "restore", lab.path("copy"), "--keys", lab.path("ledger/keys"), on: "restored")
    #expect(restored.status == 0, "\(what): \(restored.errors)")
    #expect(try lab.run("entitlements", "customer-1", on: "restored").status == 0, what)
  }

  @Test("syncs the name of each folder that it makes, in the folder that holds it") func names()
    throws
  {
    let made = try TracedProcess.record(
      ["init", lab.path("outer/inner")], calls: ["mkdir", "fsync"],
      in: lab.path("trace"))
    #expect(made.ending.status == 0, "\(made.ending.errors)")
    for (parent, child) in [
      ("", "outer"), ("outer", "inner"), ("outer/inner", "log"), ("outer/inner", "projections"),
      ("outer/inner/projections", "1"),
    ] {
      let holder = lab.folder.appending(path: parent).path
      let start = try #require(
        made.calls.firstIndex { $0.hasPrefix("mkdir(\"\(holder)/\(child)\"") }, "\(child)")
      #expect(
        made.calls[start...].contains {
          $0.contains(/fsync\(\d+</) && $0.contains("<\(holder)>)")
        }, "the name of \(child) is not synced in \(holder)")
    }
  }
}
