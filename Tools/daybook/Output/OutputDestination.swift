import Foundation
import LedgerExport
import PackageFiles

/// The file to which a command is to write, and what it must not overwrite.
struct OutputDestination {
  let path: String
  /// Whether an existing file may be replaced.
  var replaces = false
  /// The folder of the ledger, in which no command may write a file; `nil` for commands without a
  /// ledger.
  var ledger: String?
  /// Files that the command reads and must not overwrite.
  var inputs: [String] = []

  /// Checks that a file can be written there and that nothing is lost.
  ///
  /// - Returns: The status of an existing file; `nil` if there is none.
  /// - Throws: `InputProblem` (exit 73).
  @discardableResult
  func check() throws -> PathStatus? {
    guard path != "-" else {
      throw InputProblem(
        "this command cannot write to standard output: name a file (./- for one called -).",
        exitCode: ExitStatus.cannotCreate)
    }
    let status = try status(path)
    try refuseLedger(status)
    guard status?.kind == .file else { return status }
    for input in inputs {
      guard let read = try self.status(input), let status, read.isSame(as: status) else { continue }
      throw refused("is an input of this command and would be lost: name another file.")
    }
    guard replaces else {
      throw InputProblem(ExportFile.existsMessage(path), exitCode: ExitStatus.cannotCreate)
    }
    return status
  }

  /// Refuses a path in the ledger's folder, whatever way leads there.
  func refuseLedger() throws { try refuseLedger(try status(path)) }

  private func refuseLedger(_ status: PathStatus?) throws {
    guard let ledger, status?.kind != .stream, let own = try self.status(ledger) else { return }
    var target = URL(fileURLWithPath: path)
    if status != nil { target = target.resolvingSymlinksInPath() }
    var folder = target.deletingLastPathComponent().path
    var below: PathStatus?
    // Go upwards by the folders' identities instead of their names. The root is its own parent.
    while let here = try self.status(folder), below.map({ !$0.isSame(as: here) }) ?? true {
      if here.isSame(as: own) {
        throw refused("is in the folder of the ledger, which only the ledger writes to.")
      }
      below = here
      folder += "/.."
    }
  }

  private func status(_ path: String) throws -> PathStatus? {
    do throws(FolderError) { return try PathStatus(path) } catch {
      throw InputProblem(
        "\(path) cannot be written: \(error.reason).", exitCode: ExitStatus.cannotCreate)
    }
  }

  private func refused(_ reason: String) -> InputProblem {
    InputProblem("\(path) \(reason)", exitCode: ExitStatus.cannotCreate)
  }
}
