import ArgumentParser
import LedgerEvents
import StorePull

/// Whose lists are pulled.
struct SubjectOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A transaction of the customer. May be repeated.", valueName: "id"),
    transform: Self.transaction)
  var transaction: [StoreTransactionID] = []

  @Option(
    help: "Every original transaction that the ledger knows of this account. May be repeated.")
  var account: [String] = []

  @Flag(help: "Every original transaction that the ledger knows.")
  var all = false

  func validate() throws {
    guard all || !transaction.isEmpty || !account.isEmpty else {
      throw ValidationError("say whose: --transaction ID, --account NAME or --all.")
    }
    guard !all || (transaction.isEmpty && account.isEmpty) else {
      throw ValidationError("--all is every transaction: leave out --transaction and --account.")
    }
  }

  static func transaction(_ text: String) throws -> StoreTransactionID {
    guard let id = StoreTransactionID(text) else {
      throw ValidationError("expected a transaction's identifier, such as 2000000123456789.")
    }
    return id
  }

  func transactions(_ program: DaybookProgram) throws(PullError) -> [StoreTransactionID] {
    if all { return try program.originals(of: nil) }
    var found = transaction
    for account in account { found += try program.originals(of: account) }
    var seen: Set<StoreTransactionID> = []
    return found.filter { seen.insert($0).inserted }
  }
}

struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Pulls customers' transaction histories.",
    discussion: """
      Asks for the history of each customer from where the last pull ended, and imports it. \
      Example:

        daybook pull history --transaction 2000000123456789 --app com.example.tides
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var importer: ImporterOptions
  @OptionGroup var subjects: SubjectOptions

  func run() async throws { try await Lists(.history, store, importer, subjects).pull() }
}

struct RefundsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refunds",
    abstract: "Pulls customers' refunded purchases.",
    discussion: """
      Asks for the refunds of each customer from where the last pull ended, and imports them. \
      Example:

        daybook pull refunds --account hiker-1 --app com.example.tides
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var importer: ImporterOptions
  @OptionGroup var subjects: SubjectOptions

  func run() async throws { try await Lists(.refunds, store, importer, subjects).pull() }
}

struct StatusesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "statuses",
    abstract: "Pulls the statuses of customers' subscriptions.",
    discussion: """
      Asks for the newest transaction and renewal info of each subscription of a customer, and \
      imports them. Example:

        daybook pull statuses --all --app com.example.tides
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var importer: ImporterOptions
  @OptionGroup var subjects: SubjectOptions

  func run() async throws { try await Lists(.statuses, store, importer, subjects).pull() }
}

extension StoreOptions {
  /// Runs `body` with what asks the store.
  func withClient(
    _ body: (inout StoreClient, HTTPTransport) async throws -> Void
  ) async throws {
    let tokens = try tokens()
    let hosts = try hosts()
    try await HTTPTransport.using(answerSeconds: answerTimeout) { transport in
      var client = StoreClient(
        transport: transport, clock: SystemClock(), hosts: hosts, tokens: tokens,
        userAgent: "daybook-pull", notice: { PullConsole.complain($0) })
      try await body(&client, transport)
    }
  }

  /// Runs `body` with everything that a pull needs.
  func withRun(
    _ program: DaybookProgram, _ importer: ImporterOptions,
    environments: [StoreHost.Environment]? = nil, _ body: (inout PullRun) async throws -> Void
  ) async throws {
    let roots = importer.checkRevocation ? try importer.trustedRoots() : nil
    try await withClient { client, transport in
      let folder = try pullFolder(importer)
      var checked: any AnswerImporter = program
      if let roots {
        let check = RevocationCheck(
          transport: transport, asksThisMachine: !importer.roots.isEmpty,
          userAgent: "daybook-pull", notice: { PullConsole.complain($0) })
        checked = RevocationCheckedImporter(
          program, check: check, roots: roots, revoked: RevokedSigners(in: folder))
      }
      var run = PullRun(
        client: client, folder: folder, importer: checked, progress: ProgressLine.shared, app: app,
        environments: environments ?? self.environments)
      try await body(&run)
    }
  }
}

/// One kind of list, pulled for each transaction.
private struct Lists {
  let list: StoreList
  let store: StoreOptions
  let importer: ImporterOptions
  let subjects: SubjectOptions

  init(
    _ list: StoreList, _ store: StoreOptions, _ importer: ImporterOptions,
    _ subjects: SubjectOptions
  ) {
    (self.list, self.store, self.importer, self.subjects) = (list, store, importer, subjects)
  }

  func pull() async throws {
    try await answering {
      let program = try DaybookProgram(store, importer: importer)
      let transactions = try subjects.transactions(program)
      var report = PullReport(store.format)
      var worst: ExitCode?
      do {
        try await store.withRun(program, importer) { run in
          try await run.pull(list, transactions) { pulled in
            report.add(pulled)
          } failed: { error in
            PullConsole.complain(error.message)
            worst = error.worse(than: worst)
          }
        }
      } catch {
        // What was pulled before that is reported, too.
        if !report.isEmpty { report.end() }
        guard let error = error as? PullError else { throw error }
        PullConsole.complain(error.message)
        throw error.worse(than: worst)
      }
      if worst == nil || !report.isEmpty { report.end() }
      if let worst { throw worst }
    }
  }
}

extension PullError {
  /// The exit codes of one list's errors, the worst last: an unknown transaction may be right,
  /// another pull may help, a damaged file has to be removed, and refused data has to be looked at.
  private static let codesByWeight: [Int32] = [66, 75, 74, 65]

  /// The worse one of this error's exit code and another.
  fileprivate func worse(than other: ExitCode?) -> ExitCode {
    func weight(_ code: ExitCode) -> Int {
      Self.codesByWeight.firstIndex(of: code.rawValue) ?? Self.codesByWeight.count
    }
    guard let other else { return exitCode }
    return weight(exitCode) > weight(other) ? exitCode : other
  }
}

/// Says what was pulled.
struct PullReport {
  private let format: PullFormat
  private var lists: [PulledList] = []

  var isEmpty: Bool { lists.isEmpty }

  init(_ format: PullFormat) { self.format = format }

  mutating func add(_ list: PulledList) {
    if format == .jsonl { return PullConsole.print(Self.json(list)) }
    lists.append(list)
  }

  func end() {
    ProgressLine.shared.clear()
    switch format {
    case .jsonl: break
    case .json: PullConsole.print("[" + lists.map(Self.json).joined(separator: ",\n") + "]")
    case .table:
      guard !lists.isEmpty else { return PullConsole.print("nothing was pulled") }
      PullConsole.table(
        ["list", "transaction", "environment", "pages", "signed texts", "appended"],
        lists.map {
          [
            $0.list.rawValue, $0.transaction ?? "-", $0.environment.rawValue, "\($0.pages)",
            "\($0.signed)", "\($0.appended)",
          ]
        })
    }
  }

  private static func json(_ list: PulledList) -> String {
    var line = JSONLine()
    line.add("list", list.list.rawValue)
    line.add("transaction", list.transaction)
    line.add("environment", list.environment.rawValue)
    line.add("pages", list.pages)
    line.add("signedTexts", list.signed)
    line.add("appended", list.appended)
    line.add("refused", list.refused + list.stillRefused)
    return line.text
  }
}
