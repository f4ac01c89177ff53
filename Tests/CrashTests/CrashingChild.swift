import Foundation
import Testing

/// A running `CrashChild` process.
final class CrashingChild {
  private let process = Process()
  private let output = Pipe()
  private var rest: [UInt8] = []

  init(_ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: try Self.executable())
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  /// Returns the path of the program, which is beside the tests' own executable.
  private static func executable() throws -> String {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let candidates = [own, "/\(root)/.build/debug"].map { $0 + "/CrashChild" }
    return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0) })
  }

  /// Returns the next line; nil at the end.
  func line() -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      rest.append(contentsOf: more)
    }
  }

  /// Waits until the process ends and returns the remaining lines.
  func finish() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    process.waitUntilExit()
    return lines
  }

  /// Kills the process immediately and returns the lines that it had printed.
  func kill() -> [String] {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    return finish()
  }
}
