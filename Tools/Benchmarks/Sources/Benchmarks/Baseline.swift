import Foundation

/// The C program, which stands beside this one.
struct Baseline: Sendable {
  /// What it printed of one measurement.
  struct Line: Decodable {
    var measure: String
    var upTo: UInt64?
    var events: UInt64?
    var rate: Double?
    var bytes: UInt64?
    var table: String?
  }

  struct Failed: Error, CustomStringConvertible {
    var description: String
  }

  private let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "baseline")

  /// Runs one measurement.
  ///
  /// - Throws: `Failed`, or an error of the file system.
  func run(_ words: String...) throws -> [Line] {
    let process = Process()
    let output = Pipe()
    process.executableURL = program
    process.arguments = words
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failed(description: "baseline \(words.joined(separator: " ")) failed")
    }
    return try text.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Line.self, from: Data($0))
    }
  }
}
