import ArgumentParser
import Foundation
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import Replay

/// A walk through a replay on a terminal, by key press.
struct StepScreen {
  private let title: String
  private var walk: ReplayWalk
  /// How many lines are scrolled off the top.
  private var rolled = 0

  init(_ title: String, _ history: ReplayHistory) {
    self.title = title
    walk = ReplayWalk(history)
  }

  /// Throws the error of the command line if there is no terminal.
  static func check() throws {
    guard Console.isInputTerminal && Console.isOutputTerminal else {
      throw ValidationError(
        "--step is interactive and needs a terminal for input and output; leave it out to print "
          + "all steps.")
    }
  }

  /// Walks until someone quits, or the input ends.
  mutating func run() throws {
    let terminal = try RawTerminal()
    defer { terminal.restore() }
    var bytes: [UInt8] = []
    while true {
      let size = terminal.size
      terminal.show(screen(rows: size.rows, columns: size.columns))
      var isAsked = false
      while !isAsked {
        let more = FileHandle.standardInput.availableData
        if more.isEmpty { return }
        bytes += more
        for key in KeyPress.take(from: &bytes) {
          if key == .quit { return }
          isAsked = take(key) || isAsked
        }
      }
    }
  }

  /// Handles a key; returns `false` if the screen need not be drawn again.
  private mutating func take(_ key: KeyPress) -> Bool {
    switch key {
    case .go(let move):
      guard walk.go(move) else { return false }
      rolled = 0
    case .roll(let lines): rolled = max(0, rolled + lines)
    case .quit, .unknown: return false
    }
    return true
  }

  private mutating func screen(rows: Int, columns: Int) -> [String] {
    let steps = walk.history.steps
    let all = contents(columns)
    let room = max(1, rows - 2)
    rolled = min(rolled, max(0, all.count - room))
    var lines = Array(all.dropFirst(rolled).prefix(room))
    let left = all.count - rolled - lines.count
    while lines.count < room { lines.append("") }
    var foot = "step \(walk.step + 1) of \(steps.count)"
    if left > 0 { foot += ", \(left) more lines: d" }
    foot += "   ← → step   f finding   g G ends   q quit"
    lines.append("")
    lines.append(Console.bold(Self.cut(foot, columns)))
    return lines
  }

  /// The step, what its findings mean, and the state after it.
  private func contents(_ columns: Int) -> [String] {
    let step = walk.history.steps[walk.step]
    var lines: [String] = [Self.cut(title, columns), ""]
    for line in step.textLines { lines.append(line.styled(Self.cut(line.text, columns))) }
    for finding in step.broken {
      lines.append("")
      let explanation = finding.rule.explanation
      for text in ["\(finding.rule.id): \(explanation.meaning)", explanation.advice] {
        lines += Paragraph.lines(text, columns: columns - 4).map { "    " + $0 }
      }
    }
    if walk.step == walk.history.steps.count - 1 { lines += ending(columns) }
    lines += ["", "state after this step"]
    let state = walk.history.state(after: walk.step)
    if state.isEmpty { lines.append("    no customer has anything yet") }
    for line in state {
      let text = "    \(line.subject.text): \(line.standing.text)"
      lines.append(Self.cut(text.printable, columns))
    }
    return lines
  }

  /// What is broken after the last step.
  private func ending(_ columns: Int) -> [String] {
    let outcome = walk.history.outcome
    func list(_ title: String, _ findings: [FindingAnswer]) -> [String] {
      if findings.isEmpty { return ["", "\(title): nothing"] }
      return ["", title]
        + findings.map { finding in
          var text = "    \(finding.position)  \(finding.rule.id) (\(finding.severity.text))"
          if finding.concerns != "-" { text += ": \(finding.concerns)" }
          return Self.cut(text.printable, columns)
        }
    }
    return list("rules broken by these events", outcome.findings)
      + list("still broken at the end", outcome.findingsAtTheEnd)
  }

  private static func cut(_ text: String, _ columns: Int) -> String {
    text.count <= columns ? text : text.prefix(max(0, columns - 1)) + "…"
  }
}
