import ArgumentParser
import LedgerStore

/// Exit codes of sysexits(3), as far as the commands use them, and 1 if a check found something.
enum ExitStatus {
  static let found = ExitCode(1)
  static let usage = ExitCode(64)
  static let badInput = ExitCode(65)
  static let noInput = ExitCode(66)
  static let bug = ExitCode(70)
  static let cannotCreate = ExitCode(73)
  static let inputOutput = ExitCode(74)
  static let tryAgain = ExitCode(75)
  static let noPermission = ExitCode(77)

  static func code(for error: LedgerError) -> ExitCode {
    switch error.code {
    case .noLedger, .keysMissing: noInput
    case .exists, .cannotCreate: cannotCreate
    case .conflict, .conditionFailed, .notCovered, .invalidEvent, .unknownFormat, .corrupt,
      .batchTooLarge, .limitReached, .notFound:
      badInput
    case .busy, .rebuildNeeded: tryAgain
    case .full, .io, .outcomeUnknown, .readOnly: inputOutput
    case .closed: bug
    }
  }
}
