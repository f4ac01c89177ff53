import Foundation
import LedgerHistories
import Testing

/// A program of the package that has ended.
struct Ended {
  let status: Int32
  let output: String
  let errors: String
}

/// The programs beside the tests' own executable, run as users run them.
enum BuiltProgram {
  static func path(_ name: String) throws -> String {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let root = try #require(packageRoot())
    return try #require(
      [own, root.appending(path: ".build/debug")].map { $0.appending(path: name).path }
        .first { FileManager.default.isExecutableFile(atPath: $0) },
      "the tests run \(name): build it with swift build --product \(name)")
  }

  /// Runs a program until it ends.
  static func run(
    _ name: String, _ words: [String], environment: [String: String] = [:]
  ) throws -> Ended {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try path(name))
    process.arguments = words
    process.environment = variables(environment)
    let folder = FileManager.default.temporaryDirectory
    let files = ["out", "err"].map { folder.appending(path: "\(UUID().uuidString).\($0)") }
    defer {
      for file in files {
        do { try FileManager.default.removeItem(at: file) } catch {
          print("left \(file): \(error)")
        }
      }
    }
    for file in files { try Data().write(to: file) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Ended(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }

  static func variables(_ more: [String: String]) -> [String: String] {
    var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("DAYBOOK_") }
    variables["NO_COLOR"] = "1"
    variables["TZ"] = "UTC"
    return variables.merging(more) { $1 }
  }
}
