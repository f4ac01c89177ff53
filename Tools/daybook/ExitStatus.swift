import ArgumentParser
import LedgerStore

/// Exit codes of sysexits(3), as far as the commands use them, and 1 for a check that found
/// something.
enum ExitStatus {
  static let found = ExitCode(1)
  static let badInput = ExitCode(65)
  static let noInput = ExitCode(66)
  static let bug = ExitCode(70)
  static let cannotCreate = ExitCode(73)
  static let inputOutput = ExitCode(74)
  static let tryAgain = ExitCode(75)
}
