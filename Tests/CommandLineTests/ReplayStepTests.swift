import Foundation
import Testing

/// The screens of an interactive replay, from a Python program that controls the terminal.
@Suite("replay --step", .serialized) struct ReplayStepTests {
  private struct Reported: Decodable {
    var screens: [String]
    var status: Int
    var isRestored: Bool
  }

  /// Presses keys, one after each screen. If `signal` is not 0, it is sent at the end.
  private func walk(_ keys: [String], signal: Int32 = 0, _ arguments: String...) throws -> Reported
  {
    let keys = String(decoding: try JSONEncoder().encode(keys), as: UTF8.self)
    let (printed, _) = try TerminalScript.run(
      Self.terminal,
      [keys, "\(signal)", try Program.executable().path]
        + ["replay", "Tools/samples/incidents/copied-too-late.jsonl", "--step"] + arguments)
    return try JSONDecoder().decode(Reported.self, from: printed)
  }

  @Test(
    "goes forwards and back, and shows the state there",
    .enabled(if: TerminalScript.isPossible, "python3"))
  func walk() throws {
    let reported = try walk([" ", "j", "\u{1B}[C", "k", "\u{1B}[D", "f", "\u{1B}OA", "G", "g", "q"])
    let steps = reported.screens.map { screen in
      screen.firstMatch(of: #/step (\d+) of 20/#).map { String($0.1) } ?? "none"
    }
    #expect(steps == ["1", "2", "3", "4", "3", "2", "16", "15", "20", "1"])
    #expect(reported.screens[6].contains("! breaks finished-before-install (critical)"))
    #expect(reported.screens[6].contains("Copy the content first, then finish."))
    #expect(reported.screens[6].contains("transaction 280009455902729: purchased, finished"))
    #expect(reported.screens[7].contains("transaction 280009455902729: purchased, open"))
    #expect(reported.screens[7].contains("broken by these events") == false)
    #expect(reported.screens[8].contains("rules broken by these events"))
    #expect(reported.screens[8].contains("16  finished-before-install (critical)"))
    #expect(reported.screens[8].contains("still broken at the end"))
    #expect(reported.screens[8].contains("16  undelivered (critical)"))
    #expect(reported.screens[9].contains("no customer has anything yet"))
    #expect(reported.status == 0)
    #expect(reported.isRestored)
  }

  @Test(
    "gives the terminal back on a signal",
    .enabled(if: TerminalScript.isPossible, "python3"), arguments: [2, 15])
  func signalled(_ signal: Int32) throws {
    let reported = try walk(["j"], signal: signal)
    #expect(reported.status == 128 + Int(signal))
    #expect(reported.isRestored)
  }

  @Test("gives the terminal back at the end of its input", .enabled(if: TerminalScript.isPossible))
  func ended() throws {
    let reported = try walk(["\u{4}"], "--until", "9")
    #expect(reported.screens[0].contains("step 1 of 9"))
    #expect(reported.status == 0)
    #expect(reported.isRestored)
  }

  @Test("is refused where there is no terminal") func noTerminal() throws {
    let trace = "Tools/samples/incidents/copied-too-late.jsonl"
    let refused = try Program.run(["replay", trace, "--step"])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("--step is interactive and needs a terminal"))
    #expect(refused.output.isEmpty)
    let both = try Program.run(["replay", trace, "--step", "--format", "json"])
    #expect(both.status == 64)
  }

  /// Opens a terminal, presses keys, and prints the screen before each one.
  private static let terminal = """
    import fcntl, json, os, pty, select, signal, struct, sys, termios, time
    keys, number, command = json.loads(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 200, 0, 0))
    before = termios.tcgetattr(slave)
    child = os.fork()
    if child == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for number in range(3):
            os.dup2(slave, number)
        os.execv(command[0], command)
    def screen():
        # A screen is whole when its last line is there.
        text, end = b"", time.time() + 120
        while time.time() < end and b"q quit" not in text:
            if select.select([master], [], [], 0.1)[0]:
                text += os.read(master, 65536)
        return text.decode()
    screens = []
    for key in keys:
        screens.append(screen())
        os.write(master, key.encode())
    if number:
        screens.append(screen())
        changed = termios.tcgetattr(slave) != before
        os.kill(child, number)
    end = time.time() + 120
    done, status = 0, 0
    while not done and time.time() < end:
        # What it writes is read, or it would wait for that.
        if select.select([master], [], [], 0.05)[0]:
            os.read(master, 65536)
        done, status = os.waitpid(child, os.WNOHANG)
    if not done:
        os.kill(child, signal.SIGKILL)
    restored = termios.tcgetattr(slave) == before and (not number or changed)
    print(json.dumps({
        "screens": screens, "isRestored": restored,
        "status": os.waitstatus_to_exitcode(status) if done else -1}))
    """
}
