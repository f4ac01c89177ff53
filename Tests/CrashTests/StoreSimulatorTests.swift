#if os(Linux)
  import Foundation
  import Testing

  /// The simulator is run as a process of its own: its disk takes the place of the whole process's.
  @Suite(
    "The simulator of the store",
    .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm"), "/dev/shm"))
  struct StoreSimulatorTests {
    /// Runs the simulator and returns what it prints, with its exit code.
    private func run(_ arguments: String...) throws -> (lines: [String], code: Int32) {
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: try Self.executable())
      process.arguments = arguments
      process.standardOutput = output
      try process.run()
      let bytes = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      return (lines, process.terminationStatus)
    }

    /// Returns the path of the program, which is beside the tests' own executable. These tests do
    /// not depend on its target, because its disk would then be linked into all tests.
    private static func executable() throws -> String {
      let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
      let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
      let candidates = [own, "/\(root)/.build/debug"].map { $0 + "/StoreSimulator" }
      return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0) })
    }

    @Test("makes the same operations and the same calls of the disk from the same seed")
    func sameTwice() throws {
      let arguments = ["--seed", "3", "--operations", "200", "--histories", "3", "--seconds", "60"]
      func traces() throws -> [String] {
        let answer = try run(
          arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
          arguments[5], arguments[6], arguments[7])
        #expect(answer.code == 0, "\(answer.lines)")
        return answer.lines.filter { $0.contains(": trace ") }
      }
      let first = try traces()
      #expect(first.count == 3)
      #expect(Set(first.map { $0.split(separator: ":")[1] }).count == 3)
      #expect(try traces() == first)
    }
  }
#endif
