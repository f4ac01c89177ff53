import Foundation
import LedgerEvents
import StorePull

/// The program `daybook`, run as a child: the ledger stays its business alone.
struct DaybookProgram: AnswerImporter {
  private let path: String
  private let ledger: String?
  private let ledgerPath: String
  private let app: String
  private let importWords: [String]

  /// The number of bytes that are read of its output at once.
  private static let readBytes = 64 * 1024

  /// - Throws: ``PullError``: `daybook` with exit code 66 if there is no such program.
  init(
    _ options: StoreOptions, importer: ImporterOptions?, ownerWords: [String] = []
  ) throws(PullError) {
    path = try Self.find(options.program)
    (ledger, ledgerPath, app) = (options.ledger, options.ledgerPath, options.app)
    importWords = (importer?.words ?? []) + ownerWords
  }

  private static func find(_ named: String?) throws(PullError) -> String {
    let files = FileManager.default
    if let named {
      guard files.isExecutableFile(atPath: named) else {
        throw PullError(.daybook(66), "--daybook \(named) is not a program.")
      }
      return named
    }
    let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
    var folders = [
      URL(fileURLWithPath: own).resolvingSymlinksInPath().deletingLastPathComponent().path
    ]
    folders += (StoreOptions.variable("PATH") ?? "").split(separator: ":").map(String.init)
    guard
      let found = folders.map({ $0 + "/daybook" })
        .first(where: { files.isExecutableFile(atPath: $0) })
    else {
      throw PullError(
        .daybook(66),
        "the program daybook is neither beside daybook-pull nor on the PATH: build it with "
          + "`swift build -c release --product daybook`, or name it with --daybook.")
    }
    return found
  }

  // MARK: - Importing

  func importAnswer(
    _ file: String, from environment: StoreHost.Environment
  ) async throws(PullError) -> Int {
    let words =
      ["import", "history", "--app=\(app)", "--environment", environment.rawValue]
      + importWords + ["--format", "json"]
    var said: [UInt8] = []
    try run(words, [file]) { (line) throws(PullError) in said += line }
    let answer = try Self.json(said)
    return Int(answer["appended"]?.integer ?? 0)
  }

  private var isLedgerThere: Bool {
    FileManager.default.fileExists(atPath: ledgerPath + "/log")
  }

  func requireLedger() throws(PullError) {
    guard isLedgerThere else {
      throw PullError(
        .daybook(66),
        "there is no ledger at \(ledgerPath); nothing was forgotten. Name the ledger with "
          + "--ledger, or make a new one with `daybook init`.")
    }
  }

  func mark(at position: Int64?) throws(PullError) -> LedgerMark? {
    guard isLedgerThere else { return nil }
    let which = position.map { ["--from", "\($0)", "--to", "\($0)"] } ?? ["--reverse"]
    var mark: LedgerMark?
    try run(["events", "--limit", "1", "--format", "jsonl"] + which) { (line) throws(PullError) in
      let event = try Self.json(line)
      guard let position = event["position"]?.integer, let at = event["recordedAt"]?.string,
        let type = event["type"]?.string
      else { return }
      mark = LedgerMark(position: position, recordedAt: at, type: type)
    }
    return mark
  }

  // MARK: - Asking

  /// The original transactions that the ledger knows, each once and with those of one customer or
  /// of all.
  func originals(of account: String?) throws(PullError) -> [StoreTransactionID] {
    var words = ["transactions", "--format", "jsonl"] + (account == nil ? ["--all"] : [])
    for environment in StoreHost.Environment.allCases {
      words += ["--environment", environment.rawValue]
    }
    var found: [StoreTransactionID] = []
    var seen: Set<StoreTransactionID> = []
    try run(words, account.map { [$0] } ?? []) { (line) throws(PullError) in
      let entry = try Self.json(line)
      let original = entry["originalTransaction"]?.string ?? entry["transaction"]?.string
      guard let id = original.flatMap(StoreTransactionID.init), seen.insert(id).inserted else {
        return
      }
      found.append(id)
    }
    return found
  }

  /// The ids of the notifications that the ledger has, and of those that nobody verified.
  func notifications() throws(PullError) -> (all: Set<String>, unverified: Set<String>) {
    var ids: (all: Set<String>, unverified: Set<String>) = ([], [])
    try run(["events", "--source", "notification", "--format", "jsonl"]) {
      (line) throws(PullError) in
      let event = try Self.json(line)
      guard let id = event["id"]?.string else { return }
      ids.all.insert(id)
      if event["data"]?["verified"]?.boolean == false { ids.unverified.insert(id) }
    }
    return ids
  }

  /// The environments of the store in which the ledger knows a transaction; none without a ledger.
  func environments(
    of transaction: StoreTransactionID
  ) throws(PullError) -> [StoreHost.Environment] {
    guard isLedgerThere else { return [] }
    var found: [StoreHost.Environment] = []
    try run(["events", "--transaction=\(transaction.text)", "--format", "jsonl"]) {
      (line) throws(PullError) in
      guard let name = try Self.json(line)["environment"]?.string,
        let environment = StoreHost.Environment(rawValue: name), !found.contains(environment)
      else { return }
      found.append(environment)
    }
    return found
  }

  private static func json(_ line: [UInt8]) throws(PullError) -> JSONValue {
    do throws(EventError) { return try JSONValue(document: line, nulls: .leftOut) } catch {
      throw PullError(.daybook(70), "daybook answered with something else than JSON: \(error)")
    }
  }

  // MARK: - The process

  /// Runs a command, and passes each line of its output on. What it says on standard error is for
  /// the user, and goes there.
  ///
  /// - Parameter operands: What is no option, though it may look like one.
  private func run(
    _ words: [String], _ operands: [String] = [], _ body: ([UInt8]) throws(PullError) -> Void
  ) throws(PullError) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments =
      words + (ledger.map { ["--ledger=\($0)"] } ?? [])
      + (operands.isEmpty ? [] : ["--"] + operands)
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    var rest: [UInt8] = []
    do {
      try process.run()
      while let bytes = try output.fileHandleForReading.read(upToCount: Self.readBytes),
        !bytes.isEmpty
      {
        rest += bytes
        var start = 0
        while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
          if end > start { try body(Array(rest[start..<end])) }
          start = end + 1
        }
        rest.removeFirst(start)
      }
    } catch let error as PullError {
      process.terminate()
      throw error
    } catch {
      throw PullError(.daybook(74), "\(path) cannot be run: \(error.localizedDescription)")
    }
    process.waitUntilExit()
    guard process.terminationReason == .exit else {
      throw PullError(
        .daybook(75), "daybook \(words[0]) was ended by signal \(process.terminationStatus).")
    }
    guard process.terminationStatus == 0 else {
      let isImport = words[0] == "import"
      throw PullError(
        .daybook(process.terminationStatus),
        "daybook \(words[0]) failed with exit code \(process.terminationStatus)"
          + (isImport ? "." : ", and nothing was pulled."))
    }
    if !rest.isEmpty { try body(rest) }
  }
}
