import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

/// A `daybook-serve` that runs, and a client with connections of its own.
final class ServedLedger: Sendable {
  struct Failure: Error, CustomStringConvertible { let description: String }

  private let process: Process
  private let errors: Pipe
  private let number: Int32
  let address: String
  let client: HTTPClient

  /// Starts the program and waits until it says that it listens.
  ///
  /// - Parameter wrapper: A command that becomes the program, which is given to it as arguments.
  init(
    _ ledger: String, _ words: [String] = ["--open"], scheme: String = "http",
    client configuration: HTTPClient.Configuration = .init(), in wrapper: [String] = []
  ) async throws {
    let process = Process()
    let command =
      wrapper + [
        try BuiltProgram.path("daybook-serve"), "--ledger", ledger, "--port", "0", "--log-level",
        "critical",
      ] + words
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = BuiltProgram.variables([:])
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    // Each follower keeps a connection.
    var configuration = configuration
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    try process.run()
    number = process.processIdentifier
    var said = ""
    while !said.contains("\n") {
      let bytes = errors.fileHandleForReading.availableData
      guard !bytes.isEmpty else { throw Failure(description: "daybook-serve ended: \(said)") }
      said += String(decoding: bytes, as: UTF8.self)
    }
    let port = try #require(said.firstMatch(of: /listening on .*, port ([0-9]+)/), "\(said)")
    address = "\(scheme)://127.0.0.1:\(port.output.1)"
    self.process = process
    self.errors = errors
  }

  var identifier: Int32 { number }

  /// Waits until the program has ended by itself. Returns its exit status, and what it said since
  /// it listened.
  func ended() throws -> (status: Int32, said: String) {
    let said = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let status = process.terminationStatus
    return (
      process.terminationReason == .uncaughtSignal ? -status : status,
      String(decoding: said, as: UTF8.self)
    )
  }

  /// Ends the program in a way, and returns its exit status; that of a signal is negative.
  @discardableResult func end(_ signal: Int32 = SIGTERM) -> Int32 {
    send(signal)
    process.waitUntilExit()
    let status = process.terminationStatus
    return process.terminationReason == .uncaughtSignal ? -status : status
  }

  func send(_ signal: Int32) { kill(number, signal) }

  /// Ends what a test has left, and gives back its connections.
  func close() async throws {
    if process.isRunning { end(SIGKILL) }
    try await client.shutdown()
  }

  // MARK: - Requests

  struct Answer: Sendable {
    let status: Int
    let version: HTTPVersion
    let headers: HTTPHeaders
    let body: String

    var object: [String: Any] {
      get throws {
        try #require(
          try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any], "\(body)")
      }
    }
  }

  func request(_ path: String, token: String? = nil) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: address + path)
    if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    return request
  }

  func send(_ request: HTTPClientRequest) async throws -> Answer {
    let response = try await client.execute(request, timeout: .minutes(2))
    let body = try await response.body.collect(upTo: 1 << 26)
    return Answer(
      status: Int(response.status.code), version: response.version, headers: response.headers,
      body: String(buffer: body))
  }

  func get(_ path: String, token: String? = nil) async throws -> Answer {
    try await send(request(path, token: token))
  }

  func append(_ lines: [String], token: String? = nil) async throws -> Answer {
    var request = request("/v1/events", token: token)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/x-ndjson")
    request.body = .bytes(ByteBuffer(string: lines.joined(separator: "\n")))
    return try await send(request)
  }

  /// Waits until a metric of the process has a value.
  func waitUntil(_ metric: String, is value: Int) async throws {
    while true {
      let metrics = try await get("/metrics").body
      let found = metrics.split(separator: "\n").contains { line in
        line.hasPrefix(metric)
          && (line.split(separator: " ").last.flatMap { Double($0) }) == Double(value)
      }
      if found { return }
    }
  }

  /// Reads a stream of events until one has been received, and returns the positions in order.
  func follow(
    _ query: String, after last: Int? = nil, until position: Int,
    listening: (@Sendable () -> Void)? = nil
  ) async throws -> [Int] {
    var request = request("/v1/events?follow=true" + query)
    if let last { request.headers.add(name: "Last-Event-ID", value: "\(last)") }
    let response = try await client.execute(request, deadline: .distantFuture)
    try #require(response.status == .ok)
    var text = ""
    for try await part in response.body {
      text += String(buffer: part)
      listening?()
      if text.contains("\nid: \(position)\n"), text.hasSuffix("\n\n") { break }
    }
    return text.split(separator: "\n").compactMap { line in
      line.hasPrefix("id: ") ? Int(line.dropFirst(4)) : nil
    }
  }
}

/// A ledger on the disk, as `daybook init` makes it.
final class MadeLedger: Sendable {
  let folder: URL
  var path: String { folder.appending(path: "ledger").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "daybook-served-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let made = try daybook("init")
    try #require(made.status == 0, "\(made.errors)")
  }

  func daybook(_ words: String...) throws -> Ended {
    try BuiltProgram.run("daybook", words + ["--ledger", path])
  }

  /// Writes a file, and returns its path.
  func write(_ name: String, _ text: String) throws -> String {
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// Starts the program, and ends it after the test.
  func served(
    _ words: [String] = ["--open"], scheme: String = "http",
    client: HTTPClient.Configuration = .init(), in wrapper: [String] = [],
    _ body: (ServedLedger) async throws -> Void
  ) async throws {
    let served = try await ServedLedger(path, words, scheme: scheme, client: client, in: wrapper)
    do { try await body(served) } catch {
      try await served.close()
      throw error
    }
    try await served.close()
  }

  deinit {
    do { try FileManager.default.removeItem(at: folder) } catch {
      print("left \(folder): \(error)")
    }
  }
}
