import Foundation
import Testing
import TracedProcesses

/// A folder with a file of purchases, in which the program makes ledgers.
final class ProgramLab {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(at: folder) } catch { print("left \(folder.path)") }
  }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  func remove(_ names: String...) throws {
    for name in names where exists(name) {
      try FileManager.default.removeItem(atPath: path(name))
    }
  }

  /// Writes a file with one purchase for each number, by a customer of its own.
  func purchases(_ numbers: ClosedRange<Int>) throws -> String {
    let lines = numbers.map { number in
      #"{"id":"p\#(number)","type":"transaction.purchased","occurredAt":"2026-03-01T10:00:00Z","#
        + #""account":"customer-\#(number)","transaction":"t-\#(number)","product":"atlas"}"#
    }
    let file = path("purchases-\(numbers.lowerBound).jsonl")
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))
    return file
  }

  /// Runs a command on the ledger called `name`.
  func run(_ arguments: String..., on name: String = "ledger") throws -> ProcessEnding {
    try TracedProcess.run(arguments + ["--ledger", path(name)])
  }

  /// Runs a command that must succeed.
  @discardableResult
  func must(_ arguments: String..., on name: String = "ledger") throws -> ProcessEnding {
    let ending = try TracedProcess.run(arguments + ["--ledger", path(name)])
    try #require(ending.status == 0, "\(arguments): \(ending.errors)")
    return ending
  }
}
