import Foundation

/// Plays histories in several processes at once. One process plays one history at a time, because
/// its calls of the disk have to come in the order that the seed decides.
///
/// Together, the processes play the histories that a single one would play.
struct Jobs {
  let options: Options
  /// The options for each process, besides its share.
  let arguments: [String]

  /// Begins the line by which a process says how many operations it has played.
  static let operationsMark = "operations: "

  func run() throws -> Int32 {
    let first = options.from ?? UInt64.random(in: 0..<1 << 32)
    let begun = ContinuousClock.now
    let running = try (0..<options.jobs).map { try start($0, from: first) }
    var operations = 0
    var status: Int32 = 0
    for (process, output) in running {
      process.waitUntilExit()
      try output.seek(toOffset: 0)
      let text = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
      for line in text.split(separator: "\n") {
        if line.hasPrefix(Self.operationsMark) {
          operations += Int(line.dropFirst(Self.operationsMark.count)) ?? 0
        } else {
          print(line)
        }
      }
      // A signal is a failure, too.
      if process.terminationStatus != 0 || process.terminationReason != .exit {
        print("a process ended with \(process.terminationStatus)")
        status = 1
      }
    }
    let seconds = begun.duration(to: .now) / .seconds(1)
    print(
      "all \(options.jobs) processes: \(operations) operations in \(Int(seconds)) s, "
        + "\(Int(Double(operations) / seconds * 60)) a minute")
    return status
  }

  /// - Returns: The process and the file that it writes to: nobody reads while it plays, and a pipe
  ///   would be full.
  private func start(_ index: Int, from first: UInt64) throws -> (Process, FileHandle) {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments =
      arguments + ["--jobs", "1", "--from", "\(first)", "--share", "\(index)"]
      + ["--shares", "\(options.jobs)"]
    let path = FileManager.default.temporaryDirectory.appending(
      path: "daybook-histories-\(UUID().uuidString)")
    try Data().write(to: path)
    let output = try FileHandle(forUpdating: path)
    try FileManager.default.removeItem(at: path)
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return (process, output)
  }
}
