import Foundation
import Testing

/// Commands that ask on a terminal, asked of a Python program that holds its other end.
@Suite("Look before you leap", .serialized) struct ConsentTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [
      Sample.purchase("t1", of: "ada", at: 0), Sample.purchase("t2", of: "eve", at: 10),
    ])
  }

  private var count: Int {
    get throws { try ledger.run("events").lines.count }
  }

  private static let why = ["--operator", "kim", "--reason", "ticket 4711"]

  /// Runs a command on a terminal that answers; gives what the terminal showed, then the status.
  private func onTerminal(
    _ answer: String, why: [String] = Self.why, _ arguments: String...
  ) throws -> (String, Int32) {
    let (shown, status) = try TerminalScript.run(
      Self.terminal,
      [answer, try Program.executable().path] + arguments + why + ["--ledger", ledger.path])
    return (String(decoding: shown, as: UTF8.self), status)
  }

  @Test(
    "a link, a transfer and a grant say first what changes, and wait for a yes",
    .enabled(if: TerminalScript.isPossible, "python3"))
  func asked() throws {
    let (refused, status) = try onTerminal("n", "transfer", "ada", "eve-2", "--new-account")
    #expect(refused.contains("this would change:"), "\(refused)")
    #expect(refused.contains("map"), "\(refused)")
    #expect(refused.contains("Append account.transferred? [y/N]"), "\(refused)")
    #expect(refused.contains("nothing was appended"), "\(refused)")
    #expect(status == 65)
    #expect(try count == 2)
    let (granted, done) = try onTerminal("y", "grant", "ada", "--entitlement", "pro")
    #expect(granted.contains("Append entitlement.granted?"), "\(granted)")
    #expect(done == 0)
    #expect(try count == 3)
    let (quiet, meant) = try onTerminal("n", "link", "ada", "eve", "--yes")
    #expect(!quiet.contains("[y/N]"), "\(quiet)")
    #expect(meant == 0)
    #expect(try count == 4)
  }

  @Test(
    "a catalogue that takes grants from what was bought asks before it is set",
    .enabled(if: TerminalScript.isPossible, "python3"))
  func catalogue() throws {
    let folder = try TemporaryFolder()
    func set(_ grants: String, _ answer: String) throws -> (String, Int32) {
      let file = folder.file("catalogue.json")
      try Data(
        #"{"products":[{"product":"map","kind":"consumable","grants":\#(grants)}]}"#.utf8
      ).write(to: file)
      return try onTerminal(
        answer, why: [], "catalog", "set", file.path, "--effective", "2000-01-01")
    }
    #expect(try set(#"{"coins":5}"#, "n").1 == 0)
    #expect(try count == 3)
    let (refused, status) = try set("{}", "n")
    #expect(refused.contains("Set it? [y/N]"), "\(refused)")
    #expect(refused.contains("nothing was appended"), "\(refused)")
    #expect(status == 65)
    #expect(try count == 3)
    let (set, done) = try set("{}", "y")
    #expect(set.contains("Set it? [y/N]"), "\(set)")
    #expect(done == 0)
    #expect(try count == 4)
  }

  @Test("scripts are not asked, and a dry run says what would change") func scripts() throws {
    let dry = try ledger.run(["link", "ada", "eve", "--dry-run"] + Self.why)
    #expect(dry.status == 0)
    #expect(dry.lines.count == 1)
    #expect(dry.errors.hasPrefix("this would change:"), "\(dry.errors)")
    let nothing = try ledger.run(["withdraw", "ada", "--product", "map", "--dry-run"] + Self.why)
    #expect(nothing.errors == "this would change no customer's entitlements\n")
    let moved = try ledger.run(
      ["transfer", "ada", "eve-2", "--new-account", "--dry-run"] + Self.why)
    #expect(moved.errors.contains("this would change:"), "\(moved.errors)")
    #expect(try count == 2)
    #expect(try ledger.run(["link", "ada", "eve"] + Self.why).status == 0)
    #expect(try count == 3)
  }

  @Test("an erasure says what it destroys, and needs a yes") func erasure() throws {
    let refused = try ledger.run(["erase", "ada"] + Self.why)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("nothing was erased"), "\(refused.errors)")
    #expect(refused.errors.contains("2 names of accounts"), "\(refused.errors)")
    #expect(refused.errors.contains("--yes"), "\(refused.errors)")
    #expect(try count == 2)
    let erased = try ledger.run(["erase", "ada", "--yes"] + Self.why)
    #expect(erased.status == 0, "\(erased.errors)")
    #expect(erased.output.contains("destroyed: 2 names"), "\(erased.output)")
    #expect(try ledger.run(["erase", "adda", "--yes"] + Self.why).status == 65)
    // There is nothing left to reach, and nothing is written.
    let before = try count
    let again = try ledger.run(["erase", "ada", "--yes"] + Self.why)
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.contains("already erased, at position 3"), "\(again.output)")
    #expect(again.output.contains("destroyed: 0 names"))
    #expect(try count == before)
  }

  @Test("an erasure asks on a terminal", .enabled(if: TerminalScript.isPossible, "python3"))
  func erasureOnTerminal() throws {
    let (refused, status) = try onTerminal("", "erase", "ada")
    #expect(refused.contains("Erase? [y/N]"), "\(refused)")
    #expect(status == 65)
    #expect(try count == 2)
    let (erased, done) = try onTerminal("yes", "erase", "ada")
    #expect(erased.contains("erased at position 3"), "\(erased)")
    #expect(done == 0)
  }

  /// Runs a command on a terminal of its own, and types the answer once it is asked.
  private static let terminal = """
    import os, pty, sys
    answer = sys.argv[1].encode() + b"\\n"
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.argv[2], sys.argv[2:])
    shown, asked = b"", False
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if not asked and b"[y/N]" in shown:
            asked = True
            os.write(terminal, answer)
    sys.stdout.buffer.write(shown)
    sys.stdout.flush()
    _, status = os.waitpid(pid, 0)
    sys.exit(os.waitstatus_to_exitcode(status))
    """
}
