import Crypto
import Foundation
import SignedDataSamples
import Synchronization
import Testing
import TracedProcesses

@testable import StorePull

/// The process of a program that runs.
final class RunningChild: Sendable {
  private let process = Mutex<Int32>(0)

  func note(_ number: Int32) { process.withLock { $0 = number } }

  /// Ends it, as nothing can prevent.
  func kill() {
    // It may ask the store before whoever started it has noted its number.
    var number: Int32 = 0
    while number == 0 { number = process.withLock { $0 } }
    Foundation.kill(number, SIGKILL)
  }
}

/// `daybook-pull` and `daybook` as users run them, with a ledger of their own and the fake store
/// behind HTTP.
final class PullProgram {
  struct Outcome {
    let status: Int32
    let isKilled: Bool
    let output: String
    let errors: String
  }

  let store = FakeStore()
  let folder: URL
  let samples: SigningSamples
  private let servers: [StoreHost.Environment: FakeServer]
  /// The process that is under way.
  let child = RunningChild()
  var ledger: String { folder.appending(path: "ledger").path }

  init(_ recipe: ChainRecipe = ChainRecipe()) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "pulled-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    samples = try SigningSamples(recipe)
    servers = [
      .production: try FakeServer(store, .production), .sandbox: try FakeServer(store, .sandbox),
    ]
    try Data(samples.der[2]).write(to: folder.appending(path: "root.cer"))
    try Data(PullBench.key.pemRepresentation.utf8)
      .write(to: folder.appending(path: "SubscriptionKey_2X9R4HXF34.p8"))
    let made = try daybook("init")
    try #require(made.status == 0, "\(made.errors)")
  }

  deinit {
    do {
      for server in servers.values { try server.stop() }
      try FileManager.default.removeItem(at: folder)
    } catch { print("left \(folder.path): \(error)") }
  }

  /// The address of the fake store.
  func address(_ environment: StoreHost.Environment) -> String {
    servers[environment]?.address ?? ""
  }

  /// Writes a file, and returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    let url = folder.appending(path: name)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  // MARK: - Programs

  func daybook(_ words: String...) throws -> Outcome {
    try run(try TracedProcess.executable("daybook"), words + ["--ledger", ledger])
  }

  /// The options that the tests need: the fake store in place of Apple's, and the tests' root.
  func storeWords(importing: Bool = true) -> [String] {
    var words = ["--app", SigningSamples.bundleID, "--ledger", ledger]
    for (environment, server) in servers {
      words += [environment == .production ? "--host" : "--sandbox-host", server.address]
    }
    if importing { words += ["--root", folder.appending(path: "root.cer").path] }
    return words
  }

  func pull(_ words: String..., with more: [String] = []) throws -> Outcome {
    let importing = words.first != "set-token"
    return try run(
      try TracedProcess.executable("daybook-pull"), words + storeWords(importing: importing) + more)
  }

  /// Runs a program, and notes its process in `child` while it runs.
  func run(
    _ program: String, _ words: [String], environment: [String: String] = [:],
    meanwhile: (Process) throws -> Void = { _ in }
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = words
    process.currentDirectoryURL = folder
    var variables = ProcessInfo.processInfo.environment
    variables["DAYBOOK_STORE_KEY"] = folder.appending(path: "SubscriptionKey_2X9R4HXF34.p8").path
    variables["DAYBOOK_STORE_ISSUER"] = "57246542-96fe-1a63-e053-0824d011072a"
    variables["TZ"] = "UTC"
    variables["NO_COLOR"] = "1"
    variables["DAYBOOK_LEDGER"] = nil
    variables.merge(environment) { $1 }
    process.environment = variables
    let name = UUID().uuidString
    let (output, errors) = (
      folder.appending(path: name + ".out"), folder.appending(path: name + ".err")
    )
    for file in [output, errors] { try Data().write(to: file) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    child.note(0)
    try process.run()
    child.note(process.processIdentifier)
    try meanwhile(process)
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, isKilled: process.terminationReason == .uncaughtSignal,
      output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }

  // MARK: - What the store has

  /// A signed purchase of the customer's chain.
  func transaction(
    _ number: Int, account: String? = "ada", environment: String = "Production"
  ) throws -> String {
    let at = SigningSamples.milliseconds(SigningSamples.signedAt) + Int64(number) * 1_000
    let token = account.map { #","appAccountToken":"\#($0)""# } ?? ""
    let text = SigningSamples.transaction(
      environment: environment,
      more:
        #","productId":"map-\#(number)","purchaseDate":\#(at),"quantity":1,"price":2990,"currency":"EUR""#
        + token
    ).replacing(#""transactionId":"1""#, with: #""transactionId":"\#(2_000_000_000 + number)""#)
      .replacing(
        #""originalTransactionId":"1""#,
        with: #""originalTransactionId":"\#(2_000_000_000 + number)""#)
    return String(decoding: try samples.jws(text), as: UTF8.self)
  }

  /// Gives the customer this many purchases, which are the same texts in each ledger of a test.
  static func purchases(_ count: Int) throws -> [String] {
    let maker = try PullProgram()
    return try (1...count).map { try maker.transaction($0) }
  }

  /// A signed notification about a purchase.
  func notification(_ number: Int, account: String? = "ada") throws -> String {
    let data = SigningSamples.data(
      more: #","signedTransactionInfo":"\#(try transaction(number, account: account))""#)
    let text = SigningSamples.notification(data)
      .replacing("DID_RENEW", with: "ONE_TIME_CHARGE")
      .replacing(
        #""notificationUUID":"u""#,
        with: #""notificationUUID":"019cb2ec-f680-7000-8000-00000000000\#(number)""#)
    return String(decoding: try samples.jws(text), as: UTF8.self)
  }

  // MARK: - The ledger

  /// The events without the ledger's clock and without its own key in ids.
  func events() throws -> [String] {
    try daybook("events").output.split(separator: "\n").map { line in
      String(line).replacing(/,"recordedAt":"[^"]*"/, with: "")
        .replacing(/:[0-9a-f]{16,64}"/, with: ":key\"")
    }
  }

  func state(_ name: String) throws -> String {
    let path = "\(ledger).pull/\(SigningSamples.bundleID)/state/\(name).json"
    return try String(contentsOfFile: path, encoding: .utf8)
  }
}
