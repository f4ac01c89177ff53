import Foundation
import LedgerHistories
import Testing

/// The result of a run of the program.
struct Outcome {
  let status: Int32
  let output: String
  let errors: String

  /// The lines of standard output.
  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Standard output as one JSON document.
  func document() throws -> Any {
    try JSONSerialization.jsonObject(with: Data(output.utf8), options: .fragmentsAllowed)
  }

  func object() throws -> [String: Any] { try #require(try document() as? [String: Any]) }

  func objects() throws -> [[String: Any]] { try #require(try document() as? [[String: Any]]) }
}

/// The built executable, run as users run it.
enum Program {
  /// Returns its path, which is beside the tests' own executable.
  static func executable() throws -> URL {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let root = try packageFolder()
    let candidates = [own, root.appending(path: ".build/debug")].map {
      $0.appending(path: "daybook")
    }
    return try #require(
      candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) },
      "the tests run the program: build it with swift build --product daybook")
  }

  static func packageFolder() throws -> URL {
    try #require(packageRoot())
  }

  /// Runs a command, in `workingFolder` or in the package's, and waits until it exits.
  static func run(
    _ arguments: [String], ledger: String? = nil, input: String = "",
    environment: [String: String] = [:], in workingFolder: URL? = nil
  ) throws -> Outcome {
    let folder = try TemporaryFolder()
    let process = try process(arguments, ledger: ledger, environment: environment)
    if let workingFolder { process.currentDirectoryURL = workingFolder }
    try Data(input.utf8).write(to: folder.file("input"))
    for name in ["output", "errors"] { try Data().write(to: folder.file(name)) }
    let output = try FileHandle(forWritingTo: folder.file("output"))
    let errors = try FileHandle(forWritingTo: folder.file("errors"))
    process.standardInput = try FileHandle(forReadingFrom: folder.file("input"))
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus,
      output: String(decoding: try Data(contentsOf: folder.file("output")), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: folder.file("errors")), as: UTF8.self))
  }

  /// Returns a process that has not been started.
  static func process(
    _ arguments: [String], ledger: String? = nil, environment: [String: String] = [:]
  ) throws -> Process {
    let process = Process()
    process.executableURL = try executable()
    process.arguments = arguments
    process.currentDirectoryURL = try packageFolder()
    var variables = ProcessInfo.processInfo.environment
    variables["DAYBOOK_LEDGER"] = ledger
    variables["NO_COLOR"] = "1"
    // Tables show times in the zone of whoever runs the tests, where nothing else is said.
    variables["TZ"] = "UTC"
    variables.merge(environment) { $1 }
    process.environment = variables
    return process
  }
}

/// A folder that is removed with its owner.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func file(_ name: String) -> URL { url.appending(path: name) }

  func path(_ name: String) -> String { file(name).path }

  /// Writes a file, and returns its path.
  func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

  /// As `write(_:_:)`, with bytes that need not be text.
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: file(name))
    return path(name)
  }

  deinit {
    do { try FileManager.default.removeItem(at: url) } catch { print("left \(url.path): \(error)") }
  }
}

/// A new ledger in its own folder.
final class TestLedger {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("ledger")
    let made = try run("init")
    try #require(made.status == 0, "\(made.errors)")
  }

  /// Appends `events`, each a line of JSON.
  convenience init(events: [String]) throws {
    try self.init()
    let appended = try run("append", input: events.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
  }

  func run(_ arguments: String..., input: String = "") throws -> Outcome {
    try Program.run(arguments, ledger: path, input: input)
  }

  func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> Outcome {
    try Program.run(arguments, ledger: path, input: input, environment: environment)
  }

  /// Returns the events of the ledger, without the ledger's clock.
  func events() throws -> [String] {
    try run("events").lines.map { line in
      line.replacing(/,"recordedAt":"[^"]*"/, with: "")
    }
  }
}
