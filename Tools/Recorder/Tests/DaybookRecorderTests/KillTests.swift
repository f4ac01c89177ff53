import Foundation
import Testing

@testable import DaybookRecorder

/// A process that appends is killed (SIGKILL), again and again, at whatever it does then.
@Suite("A spool whose process is killed") struct KillTests {
  /// The child is built beside the tests: beside the running program, or one bundle above it.
  private static let program = [Bundle.main.bundleURL, Bundle.main.executableURL]
    .compactMap { $0 }
    .flatMap { [$0, $0.deletingLastPathComponent()] }
    .map { $0.appendingPathComponent("SpoolChild").path }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Runs a child until it has acknowledged so many lines, and kills it. Returns the numbers of all
  /// that it acknowledged.
  private func acknowledged(
    _ arguments: [String], atLeast count: Int
  ) throws -> [Int] {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: try #require(Self.program))
    child.arguments = arguments
    let output = Pipe()
    child.standardOutput = output
    try child.run()
    var text = Data()
    while text.count(where: { $0 == UInt8(ascii: "\n") }) < count {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      text += more
    }
    kill(child.processIdentifier, SIGKILL)
    text += output.fileHandleForReading.readDataToEndOfFile()
    child.waitUntilExit()
    let lines = String(decoding: text, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    // The last part has no line feed: it was not printed whole.
    return lines.dropLast().compactMap { Int($0) }
  }

  /// Returns the lines that were acknowledged and are not there.
  private func lost(rounds: Int, _ mode: [String] = []) throws -> [Int] {
    let folder = try TemporaryFolder()
    var next = 1
    var all: Set<Int> = []
    var lost: [Int] = []
    for round in 0..<rounds {
      let found = try acknowledged([folder.path, "\(next)"] + mode, atLeast: 1 + round % 7)
      #expect(!found.isEmpty)
      all.formUnion(found)
      let spool = try Spool(folder: folder.path)
      #expect(spool.report.damagedBytes == 0)
      let kept = Set(
        try spool.allLines().compactMap { Int($0.drop { !$0.isNumber }.prefix { $0.isNumber }) })
      lost += all.subtracting(kept).sorted()
      all.formIntersection(kept)
      next = max(next, (kept.max() ?? 0) + 1, (found.max() ?? 0) + 1)
    }
    return lost
  }

  @Test("has every line that it acknowledged") func kills() throws {
    #expect(try lost(rounds: 40).isEmpty)
  }

  @Test("is caught if it acknowledges before it writes") func control() throws {
    #expect(try !lost(rounds: 40, ["early"]).isEmpty)
  }
}
