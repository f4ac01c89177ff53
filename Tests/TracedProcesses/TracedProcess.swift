internal import Foundation

/// The exit status and the output of a process.
public struct ProcessEnding: Sendable {
  public let status: Int32
  public let isKilled: Bool
  public let output: String
  public let errors: String
}

/// Runs programs of the package as processes that can be killed, or have a call fail, at any of
/// their system calls.
public enum TracedProcess {
  /// An error that prevents a test from continuing.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
  }

  /// Returns the path of a program of the package, which is beside the tests' own executable.
  public static func executable(_ name: String = "daybook") throws -> String {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let candidates = [own, "/\(root)/.build/debug"].map { $0 + "/" + name }
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) })
    else { throw Failure("\(name) is not built") }
    return found
  }

  static let tracer = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Whether processes can be traced here. A test that needs it reports if they cannot.
  public static let canTrace: Bool = {
    guard let tracer else { return false }
    do {
      return try run(tracer, ["-f", "-o", "/dev/null", "/bin/true"]).status == 0
    } catch {
      return false
    }
  }()

  /// Runs `daybook`.
  public static func run(_ arguments: [String]) throws -> ProcessEnding {
    try run(try executable(), arguments)
  }

  /// Runs a program with a fault injected into call number `number`, counted in each thread:
  /// `signal=KILL` or `error=ENOSPC`. With `+` after the number, the fault affects all calls from
  /// there on.
  public static func run(
    _ program: String, _ arguments: [String], injecting fault: String, into call: String,
    at number: String
  ) throws -> ProcessEnding {
    guard let tracer else { throw Failure("strace is not installed") }
    return try run(
      tracer,
      [
        "-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "signal=none", "-e",
        "inject=\(call):\(fault):when=\(number)", program,
      ] + arguments)
  }

  /// Runs a program of the package and returns its calls of the given names, in their order, one
  /// line each.
  ///
  /// - Parameters:
  ///   - arguments: The command.
  ///   - program: The program's name.
  ///   - calls: The names of the calls.
  ///   - file: Only calls about this file, which has to exist; nil for all.
  ///   - fault: A fault for one of the calls, for example `fdatasync:error=EIO:when=1`.
  ///   - trace: A file for recording the calls.
  public static func record(
    _ arguments: [String], of program: String = "daybook", calls: [String],
    about file: String? = nil, injecting fault: String? = nil,
    in trace: String
  ) throws -> (ending: ProcessEnding, calls: [String]) {
    guard let tracer else { throw Failure("strace is not installed") }
    var words = ["-f", "-y", "-o", trace, "-e", "trace=" + calls.joined(separator: ",")]
    if let file { words += ["-P", file] }
    if let fault { words += ["-e", "inject=\(fault)"] }
    let ending = try run(tracer, words + [try executable(program)] + arguments)
    let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    // Behind the number of the thread.
    return (ending, lines.map { $0.drop { $0 != " " }.trimmingCharacters(in: .whitespaces) })
  }

  public static func run(_ program: String, _ arguments: [String]) throws -> ProcessEnding {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    // A process that traps must end immediately: printing a backtrace would be traced and fail,
    // too.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SWIFT_BACKTRACE": "enable=no"]
    ) { $1 }
    let output = Pipe()
    let errors = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    let complained = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return ProcessEnding(
      status: process.terminationStatus, isKilled: process.terminationReason == .uncaughtSignal,
      output: String(decoding: said, as: UTF8.self),
      errors: String(decoding: complained, as: UTF8.self))
  }
}
