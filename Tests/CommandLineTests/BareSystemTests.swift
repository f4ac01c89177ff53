import Foundation
import Testing
import TracedProcesses

/// Systems that lack what the program takes for granted, made of a mount namespace.
@Suite(
  "On a system without",
  .enabled(if: BareSystem.isPossible, "needs unshare and the right to mount"))
struct BareSystemTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [Sample.purchase("t1", of: "ada")])
  }

  @Test("/proc, a command says so and does nothing") func noProc() throws {
    let answer = try BareSystem.run(
      without: "/proc", ["note", "ada", "hello", "--operator", "kim", "--ledger", ledger.path])
    #expect(answer.status == 74)
    #expect(answer.output.isEmpty)
    #expect(answer.errors.contains("/proc is not there"))
    #expect(try ledger.run("events").lines.count == 1)
  }

  @Test("/dev/urandom, the ids of events are random all the same") func noRandom() throws {
    for _ in 0..<2 {
      let answer = try BareSystem.run(
        without: "/dev", ["note", "ada", "hello", "--operator", "kim", "--ledger", ledger.path])
      #expect(answer.status == 0, "\(answer.errors)")
    }
    let ids = try ledger.run("events", "--type", "note.added").lines.map { line in
      try #require(line.firstMatch(of: /"id":"([^"]*)"/)).1
    }
    #expect(ids.count == 2)
    // RFC 9562: version 7, variant 10.
    #expect(
      ids.allSatisfy {
        $0.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/)
          != nil
      })
    #expect(Set(ids.map { $0.suffix(12) }).count == 2)
    #expect(ids.allSatisfy { !$0.hasSuffix("000000000000") })
  }
}

/// Runs the program where a folder of the system is empty.
private enum BareSystem {
  static let isPossible: Bool = {
    do { return try shell("exit 0", without: "/mnt", []).status == 0 } catch { return false }
  }()

  static func run(without folder: String, _ arguments: [String]) throws -> ProcessEnding {
    try shell(#"exec "$@""#, without: folder, [try Program.executable().path] + arguments)
  }

  private static func shell(
    _ script: String, without folder: String, _ words: [String]
  ) throws -> ProcessEnding {
    try TracedProcess.run(
      "/usr/bin/unshare",
      ["-m", "/bin/sh", "-c", "mount -t tmpfs none \(folder) && \(script)", "sh"] + words)
  }
}
