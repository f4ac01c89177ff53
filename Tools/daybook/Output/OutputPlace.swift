import Foundation
import LedgerExport
import PackageFiles

/// Where a command is asked to write to, and what must not be lost by that.
struct OutputPlace {
  let path: String
  /// Whether a file that is there already may go.
  var replaces = false
  /// The folder of the ledger, where nothing is written by name; nil for commands without one.
  var ledger: String?
  /// Files that the command reads: no answer takes their place.
  var inputs: [String] = []

  /// Makes sure that a file can be written there and that nothing is lost by it.
  ///
  /// - Returns: What is there already; nil where nothing is.
  /// - Throws: `InputProblem` (exit 73).
  @discardableResult
  func check() throws -> PlaceStatus? {
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

  /// Refuses what lies in the ledger's folder, whatever way leads there.
  func refuseLedger() throws { try refuseLedger(try status(path)) }

  private func refuseLedger(_ status: PlaceStatus?) throws {
    guard let ledger, status?.kind != .stream, let own = try self.status(ledger) else { return }
    var target = URL(fileURLWithPath: path)
    if status != nil { target = target.resolvingSymlinksInPath() }
    var folder = target.deletingLastPathComponent().path
    var below: PlaceStatus?
    // Upwards by what the folders are, and not by their names: the root is above itself.
    while let here = try self.status(folder), below.map({ !$0.isSame(as: here) }) ?? true {
      if here.isSame(as: own) {
        throw refused("is in the folder of the ledger, which only the ledger writes to.")
      }
      below = here
      folder += "/.."
    }
  }

  private func status(_ path: String) throws -> PlaceStatus? {
    do throws(FolderError) { return try PlaceStatus(path) } catch {
      throw InputProblem(
        "\(path) cannot be written: \(error.reason).", exitCode: ExitStatus.cannotCreate)
    }
  }

  private func refused(_ reason: String) -> InputProblem {
    InputProblem("\(path) \(reason)", exitCode: ExitStatus.cannotCreate)
  }
}
