import Foundation

/// The terminal with every key handed on at once, until it is given back as it was.
struct RawTerminal {
  private let modes: TerminalModes

  /// Takes over the terminal until `restore` or a signal that ends the program, whichever comes
  /// first.
  ///
  /// - Throws: `InputProblem` if there is no stty, or if it does not know the terminal.
  init() throws {
    // Interrupting goes on by signals; stopping would leave the shell with these modes.
    modes = try TerminalModes(
      ["-icanon", "-echo", "min", "1", "time", "0", "susp", "undef"],
      atEnd: { Self.show(Self.leaveScreen) })
    Self.show(Self.enterScreen)
  }

  /// Gives the terminal back as it was.
  func restore() { modes.restore() }

  /// Rows and columns.
  var size: (rows: Int, columns: Int) {
    let words: [Int]
    do {
      words = try TerminalModes.stty(["size"]).split(separator: " ").compactMap { Int($0) }
    } catch {
      words = []
    }
    guard words.count == 2, words[0] > 0, words[1] > 0 else { return (24, 80) }
    return (words[0], words[1])
  }

  /// Shows lines from the top of an empty screen.
  func show(_ lines: [String]) {
    Self.show("\u{1B}[H\u{1B}[2J" + lines.joined(separator: "\r\n"))
  }

  // Use the alternate screen, so that the former contents come back. The cursor is hidden on it.
  private static let enterScreen = "\u{1B}[?1049h\u{1B}[?25l"
  private static let leaveScreen = "\u{1B}[?25h\u{1B}[?1049l"

  private static func show(_ text: String) {
    do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
      // The terminal is gone, so nobody is left to show anything to.
      Foundation.exit(0)
    }
  }
}
