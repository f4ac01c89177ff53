import AgeFiles
import Foundation

/// Passphrases, from files or typed at a terminal that does not show them.
enum PassphraseInput {
  /// The passphrase in a file, which has one line.
  ///
  /// - Throws: `InputProblem`: exit 66 where there is no file, 65 where it holds no passphrase.
  static func passphrase(inFile path: String) throws -> AgePassphrase {
    let bytes = try FileHandle.readInput(
      path, as: "a passphrase on one line", bytesMax: AgePassphrase.bytesMax + 2)
    do throws(AgeError) { return try AgePassphrase(bytes) } catch {
      throw InputProblem("\(path): \(error.message)")
    }
  }

  /// Asks at the terminal.
  ///
  /// - Parameters:
  ///   - what: What the passphrase is of, for the prompt.
  ///   - isNew: Whether it is chosen now, and so asked for twice.
  /// - Throws: `InputProblem` if standard input is not a terminal, or the terminal is somebody
  ///   else's at the moment (exit 64), or nothing usable was typed (65).
  static func ask(
    for what: String, isNew: Bool = false
  ) throws -> AgePassphrase {
    guard Console.isInputTerminal else {
      throw InputProblem(
        "\(what) needs a passphrase, and standard input is not a terminal: name a file that "
          + "contains it with --passphrase-file.",
        exitCode: ExitStatus.usage)
    }
    // In the background, the system would stop this process at its first read, after the echo was
    // switched off for whoever uses the terminal.
    guard Console.isInForeground else {
      throw InputProblem(
        "\(what) needs a passphrase, and this command runs in the background of its terminal: run "
          + "it in the foreground, or name a file that contains the passphrase with "
          + "--passphrase-file.",
        exitCode: ExitStatus.usage)
    }
    let first = try typed("Passphrase of \(what): ")
    if isNew, try typed("The same passphrase again: ") != first {
      throw InputProblem("the two passphrases differ, and nothing was written")
    }
    do throws(AgeError) { return try AgePassphrase(Array(first.utf8)) } catch {
      throw InputProblem(error.message)
    }
  }

  /// A line that is typed while the terminal shows nothing of it.
  private static func typed(_ prompt: String) throws -> String {
    let modes = try TerminalModes(["-echo"])
    defer { modes.restore() }
    FileHandle.standardError.write(Data(prompt.utf8))
    let line = readLine()
    FileHandle.standardError.write(Data("\n".utf8))
    guard let line else { throw InputProblem("no passphrase was typed") }
    return line
  }
}
