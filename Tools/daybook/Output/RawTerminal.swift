import Foundation
import Synchronization
import UnixSignals

/// The terminal in a mode that passes on every key at once, until its former mode is restored.
///
/// Its modes are set by stty(1): the functions of termios(3) take pointers, which this module
/// avoids.
final class RawTerminal: Sendable {
  /// The former modes, as `stty -g` prints them; `nil` once they are restored.
  private let saved: Mutex<String?>

  /// Takes over the terminal until `restore` or a signal that ends the program, whichever comes
  /// first.
  ///
  /// - Throws: `InputProblem` if there is no stty, or if it does not know the terminal.
  init() throws {
    saved = Mutex(try Self.stty("-g"))
    // Interrupts still arrive as signals. Suspending would leave the shell with these modes, so it
    // is disabled.
    _ = try Self.stty("-icanon", "-echo", "min", "1", "time", "0", "susp", "undef")
    Self.show(Self.enterScreen)
    Task { [self] in
      for await signal in await UnixSignalsSequence(
        trapping: .sigint, .sigterm, .sighup, .sigquit)
      {
        restore()
        Foundation.exit(128 + Int32(signal.rawValue))
      }
    }
  }

  /// Restores the terminal.
  func restore() {
    saved.withLock { saved in
      guard let modes = saved else { return }
      saved = nil
      Self.show(Self.leaveScreen)
      do { _ = try Self.stty(modes) } catch {
        Console.complain("daybook: the terminal may need: stty sane")
      }
    }
  }

  /// Rows and columns.
  var size: (rows: Int, columns: Int) {
    let words: [Int]
    do { words = try Self.stty("size").split(separator: " ").compactMap { Int($0) } } catch {
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

  private static func stty(_ arguments: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // A child may be in the background, where setting modes would stop it.
    process.arguments = ["-c", "trap '' TTOU; exec stty \"$@\"", "sh"] + arguments
    let output = Pipe()
    process.standardInput = FileHandle.standardInput
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw InputProblem(
        "--step sets the terminal by stty, which does not know this one.",
        exitCode: ExitStatus.inputOutput)
    }
    return String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
