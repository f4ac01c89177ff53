import Foundation
import LedgerHistories
import Testing

/// The scripts for shells are not only generated, but loaded and asked by the shells themselves.
@Suite("A shell that loaded the completion script") struct ShellCompletionTests {
  private let ledger: TestLedger
  private let folder: TemporaryFolder

  init() throws {
    ledger = try TestLedger()
    _ = try ledger.run("append", input: Sample.purchase("t1", of: "ada"))
    folder = try TemporaryFolder()
  }

  /// What is typed before the tab, and what the shell must offer then.
  private static let lines: [(typed: String, offered: String)] = [
    ("daybook fin", "findings"), ("daybook content upd", "updates"),
    ("daybook events --cou", "--count"),
    ("daybook findings --rule finished-before-i", "finished-before-install"),
    ("daybook events --type download.prog", "download.progressed"),
    ("daybook findings --severity cri", "critical"), ("daybook events --format js", "jsonl"),
  ]

  /// What only the ledger knows.
  private static let known = (typed: "daybook holders ma", offered: "map")

  @Test("bash offers commands, options and values", .enabled(if: has("bash"), "needs bash"))
  func bash() throws {
    let script = try self.script("bash", named: "daybook.bash")
    for line in Self.lines + [Self.known] {
      let words = line.typed.split(separator: " ")
      let answer = try ask(
        "bash",
        ["-c", Self.bashQuestion, "bash", script, line.typed] + words.map(String.init))
      #expect(answer.output.contains(line.offered), "\(line.typed): \(answer)")
      #expect(answer.errors.isEmpty, "\(line.typed): \(answer.errors)")
    }
  }

  /// Calls the function that the script registers as bash does on a tab.
  private static let bashQuestion = """
    source "$1"
    COMP_LINE=$2
    COMP_POINT=${#COMP_LINE}
    COMP_WORDS=("${@:3}")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _daybook daybook "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
    printf '%s\\n' "${COMPREPLY[@]}"
    """

  @Test("fish offers commands, options and values", .enabled(if: has("fish"), "needs fish"))
  func fish() throws {
    let script = try self.script("fish", named: "daybook.fish")
    for line in Self.lines {
      let answer = try ask(
        "fish", ["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line.typed])
      #expect(answer.output.contains(line.offered), "\(line.typed): \(answer)")
      #expect(answer.errors.isEmpty, "\(line.typed): \(answer.errors)")
    }
  }

  @Test("zsh offers commands, options and values", .enabled(if: has("zsh"), "needs zsh"))
  func zsh() throws {
    _ = try script("zsh", named: "_daybook")
    for line in Self.lines + [Self.known] {
      let answer = try ask(
        "zsh", ["-f", "-c", Self.zshQuestion, "zsh", folder.url.path, line.typed])
      let listed = answer.output.split(separator: line.typed).last.map(String.init) ?? ""
      #expect(
        answer.output.replacing(line.typed, with: "").contains(line.offered),
        "\(line.typed): \(listed) \(answer.errors)")
    }
  }

  /// Only zsh's line editor completes, and it wants a terminal. So one shell types into another: a
  /// tab, then a key that says that everything before it was done.
  private static let zshQuestion = """
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "PS1=; fpath=(${(q)1} \\$fpath); autoload -U compinit; compinit -u -D"
    zpty -w shell 'LISTMAX=1000; stty cols 200; say-end() { print -r -- "en""d of list" }'
    zpty -w shell 'zle -N say-end; bindkey "^I" list-choices; bindkey "^X" say-end'
    zpty -w shell 'print -r -- "rea""dy"'
    zpty -r shell text '*ready*'
    zpty -w -n shell "$2"$'\\t\\C-x'
    zpty -r shell text '*end of list*'
    print -r -- $text
    zpty -d shell
    """
}

extension ShellCompletionTests {
  private struct Answer {
    var output: String
    var errors: String
  }

  private static func has(_ shell: String) -> Bool {
    ["/bin", "/usr/bin", "/usr/local/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)")
    }
  }

  /// Writes the program's script for a shell, and returns its path.
  private func script(_ shell: String, named name: String) throws -> String {
    let script = try Program.run(["--generate-completion-script", shell])
    #expect(script.status == 0, "\(script.errors)")
    let file = folder.file(name)
    try Data(script.output.utf8).write(to: file)
    return file.path
  }

  /// Runs a shell that finds the program and the ledger.
  private func ask(_ shell: String, _ arguments: [String]) throws -> Answer {
    let process = try Program.process(
      arguments, ledger: ledger.path, environment: ["HOME": folder.url.path, "TERM": "xterm"])
    let program = try #require(process.executableURL).deletingLastPathComponent().path
    process.environment?["PATH"] = "\(program):/usr/local/bin:/usr/bin:/bin"
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [shell] + arguments
    let (output, errors) = (folder.file("output"), folder.file("errors"))
    for file in [output, errors] { try Data().write(to: file) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return Answer(
      output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }
}
