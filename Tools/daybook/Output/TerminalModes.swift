import Foundation
import Synchronization
import UnixSignals

/// Modes of the terminal that are set until it is given back as it was.
///
/// They are set by stty(1): the functions of termios(3) take pointers, which this module does
/// without.
final class TerminalModes: Sendable {
  /// How the terminal was, as `stty -g` says it; nil once it is so again.
  private let saved: Mutex<String?>
  private let atEnd: @Sendable () -> Void

  /// Sets the modes, until the first of `restore` and a signal that ends the program.
  ///
  /// - Parameters:
  ///   - modes: What stty is to set.
  ///   - atEnd: Called before the modes are as they were.
  /// - Throws: `InputProblem` where there is no stty, or it does not know the terminal.
  init(_ modes: [String], atEnd: @escaping @Sendable () -> Void = {}) throws {
    saved = Mutex(try Self.stty(["-g"]))
    self.atEnd = atEnd
    _ = try Self.stty(modes)
    Task { [self] in
      for await signal in await UnixSignalsSequence(
        trapping: .sigint, .sigterm, .sighup, .sigquit)
      {
        restore()
        Foundation.exit(128 + Int32(signal.rawValue))
      }
    }
  }

  /// Gives the terminal back as it was.
  func restore() {
    saved.withLock { saved in
      guard let modes = saved else { return }
      saved = nil
      atEnd()
      do { _ = try Self.stty([modes]) } catch {
        Console.complain("daybook: the terminal may need: stty sane")
      }
    }
  }

  /// What stty says with these arguments.
  static func stty(_ arguments: [String]) throws -> String {
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
        "the modes of the terminal are set by stty, which does not know this one.",
        exitCode: ExitStatus.inputOutput)
    }
    return String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
