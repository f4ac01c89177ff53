import Foundation
import Testing

/// Commands that would use the terminal although they, or what they start, are in its background.
/// A Python program is the shell: it starts the command as a job, and says whether it was stopped.
@Suite("In the background of a terminal", .serialized) struct BackgroundTests {
  private let ledger: TestLedger

  init() throws { ledger = try TestLedger(events: [Sample.purchase("t1", of: "ada", at: 0)]) }

  /// Runs a command as a job of a shell on a terminal.
  ///
  /// - Returns: What the terminal showed. The last line says how the job ended.
  private func job(_ ground: String, _ arguments: String...) throws -> String {
    let (shown, _) = try TerminalScript.run(
      Self.shell,
      [ground, try Program.executable().path] + arguments + ["--ledger", ledger.path])
    return String(decoding: shown, as: UTF8.self)
  }

  @Test(
    "a prompt for a passphrase is refused, and the terminal stays as it is",
    .enabled(if: TerminalScript.isPossible, "python3"))
  func passphrase() throws {
    let phrase = try ledger.folder.write("phrase", "correct horse\n")
    let key = ledger.folder.path("key")
    let made = try ledger.run(
      "key", "new", "--name", "a.example", "--out", key, "--passphrase-file", phrase,
      "--operator", "kim")
    try #require(made.status == 0, "\(made.errors)")
    let signed = try job("background", "checkpoint", "--key", key, "--operator", "kim")
    #expect(signed.contains("the background of its terminal"), "\(signed)")
    #expect(signed.contains("exited with 64, echo on"), "\(signed)")
    let fromFile = try job(
      "background", "checkpoint", "--key", key, "--operator", "kim", "--passphrase-file", phrase)
    #expect(fromFile.contains("exited with 0, echo on"), "\(fromFile)")
    // The control: in the foreground, the job asks, and the shell types the passphrase.
    let asked = try job("foreground", "checkpoint", "--key", key, "--operator", "kim")
    #expect(asked.contains("Passphrase of"), "\(asked)")
    #expect(asked.contains("exited with 0, echo on"), "\(asked)")
  }

  @Test(
    "a command that signs and asks at the terminal gets an error, and nothing waits for ever",
    .enabled(if: TerminalScript.isPossible, "python3"), arguments: ["foreground", "background"])
  func keyCommand(ground: String) throws {
    let made = try Program.run(
      ["key", "new", "--name", "a.example", "--out", ledger.folder.path("key")],
      in: ledger.folder.file(""))
    let verifier = try #require(made.lines.first, "\(made.errors)")
    for ask in ["read answer </dev/tty", "stty -echo </dev/tty && read answer </dev/tty"] {
      let said = try job(
        ground, "checkpoint", "--key", verifier, "--operator", "kim", "--key-command",
        "\(ask) || { echo cannot ask >&2; exit 5; }; stty echo </dev/tty")
      #expect(said.contains("exited with 5: cannot ask"), "\(said)")
      #expect(said.contains("exited with 74"), "\(said)")
    }
  }

  /// Starts a job in the foreground or the background of a new terminal, types a passphrase when
  /// it is asked for one, and prints what the terminal showed and how the job ended.
  private static let shell = """
    import os, pty, signal, sys, termios

    def run(ground, words):
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        job = os.fork()
        if job == 0:
            os.setpgid(0, 0)
            if ground == 'foreground':
                os.tcsetpgrp(0, os.getpgrp())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.execv(words[0], words)
        # Only a test that has failed already takes so long.
        signal.alarm(60)
        signal.signal(signal.SIGALRM, lambda *_: (os.kill(job, 9), print('waits for ever')))
        _, status = os.waitpid(job, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            end = 'was stopped by signal %d' % os.WSTOPSIG(status)
            os.kill(job, 9)
        elif os.WIFSIGNALED(status):
            end = 'was killed by signal %d' % os.WTERMSIG(status)
        else:
            end = 'exited with %d' % os.WEXITSTATUS(status)
        shown = termios.tcgetattr(0)[3] & termios.ECHO
        print('%s, echo %s' % (end, 'on' if shown else 'off'), flush=True)

    shell, terminal = pty.fork()
    if shell == 0:
        run(sys.argv[1], sys.argv[2:])
        os._exit(0)
    typed = False
    said = b''
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        said += part
        if not typed and b'Passphrase of' in said:
            os.write(terminal, b'correct horse\\n')
            typed = True
    os.waitpid(shell, 0)
    sys.stdout.write(said.decode('utf-8', 'replace'))
    """
}
