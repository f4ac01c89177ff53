import Foundation

/// A Python program at the other end of a terminal, which plays the person or the shell there.
enum TerminalScript {
  /// Whether there is a `python3` on the path.
  static let isPossible: Bool = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/python3")
    }
  }()

  /// Runs the program in the package's folder, without input and without colours.
  ///
  /// - Returns: What it printed, and how it exited.
  static func run(
    _ script: String, _ arguments: [String]
  ) throws -> (output: Data, status: Int32) {
    let folder = try TemporaryFolder()
    try Data(script.utf8).write(to: folder.file("terminal.py"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", folder.path("terminal.py")] + arguments
    process.currentDirectoryURL = try Program.packageFolder()
    process.environment = ProcessInfo.processInfo.environment.merging(["NO_COLOR": "1"]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (printed, process.terminationStatus)
  }
}
