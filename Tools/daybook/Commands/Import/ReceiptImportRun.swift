import LedgerAnswers
import LedgerEvents
import LedgerImport
import LedgerQueries
import StoreImport

/// `import verify-receipt` and the signed formats: imports files one after the other, in the order
/// in which the store gave them.
struct ReceiptImportRun {
  private let command: Import
  /// `nil` for a dry run without a ledger.
  private let ledger: Ledger?
  private let digestKey: [UInt8]
  private var summary = AppendSummary()
  private let reader: PurchaseReader
  /// The ledger to which a dry run over several files appends.
  private var rehearsal: ImportRehearsal?

  /// Up to how many bytes of files stay read, and verified, while the others are put in order.
  private static let keptBytesMax = 64 << 20

  init(command: Import, ledger: Ledger?) throws {
    self.command = command
    self.ledger = ledger
    digestKey = try Import.digestKey(of: ledger)
    let trust = try command.signed.trust(command)
    let map = try command.particular.tableMap()
    reader = PurchaseReader(
      format: command.importFormat.format, trust: trust,
      passwords: try command.particular.passwordTrust(isUnverified: command.signed.isUnverified),
      map: map)
  }

  mutating func run() throws {
    let files = try inOrder(command.files)
    if command.dryRun && files.count > 1 {
      let receipts = try files.map { try receipt(of: $0) }
      rehearsal = try ImportRehearsal(of: receipts, from: ledger)
    }
    for (index, file) in files.enumerated() {
      do { try add(file) } catch {
        // What was appended from the earlier files is kept and reported.
        if index > 0 { leave() }
        throw error
      }
    }
    leave()
    try ledger?.foldBeforeLeaving()
    if !summary.errors.isEmpty { throw ExitStatus.badInput }
  }

  private func leave() {
    if !command.dryRun { summary.print(command.format) }
  }

  /// A file, with its bytes if it can be read only once, and with what it says if that is kept.
  private struct Source {
    let file: String
    var bytes: [UInt8]?
    var receipt: (any PurchaseImport)?
  }

  /// The files, the oldest answer first. A state is left out if the newest known one says the same,
  /// and only answers that were imported before are known. All files are read before anything is
  /// appended.
  private func inOrder(_ files: [String]) throws -> [Source] {
    guard files.count > 1 else { return files.map { Source(file: $0) } }
    var dated: [(source: Source, askedAt: Instant)] = []
    var keptBytes = 0
    for file in files {
      let bytes = try Import.bytes(of: file)
      let receipt = try receipt(file, bytes)
      var source = Source(file: file, bytes: file == "-" ? bytes : nil)
      if keptBytes + bytes.count <= Self.keptBytesMax {
        keptBytes += bytes.count
        source.receipt = receipt
      }
      dated.append((source, receipt.askedAt ?? Instant(microseconds: 0)))
    }
    return dated.enumerated()
      .sorted { ($0.element.askedAt, $0.offset) < ($1.element.askedAt, $1.offset) }
      .map(\.element.source)
  }

  private func receipt(_ file: String, _ bytes: [UInt8]) throws -> any PurchaseImport {
    let options = ImportOptions(
      fileName: file, digestKey: digestKey, account: command.receipt.account,
      isAccountOverToken: command.receipt.isAccountOverToken, app: command.app,
      environment: command.environment?.environment, askedAt: command.receipt.askedAt)
    do throws(ImportError) { return try reader.read(bytes, options: options) } catch {
      throw InputProblem(error.description)
    }
  }

  private func receipt(of source: Source) throws -> any PurchaseImport {
    if let receipt = source.receipt { return receipt }
    return try receipt(source.file, try source.bytes ?? Import.bytes(of: source.file))
  }

  private mutating func add(_ source: Source) throws {
    let receipt = try receipt(of: source)
    if let rehearsal {
      return try rehearse(receipt, source.file, in: rehearsal.ledger)
    }
    guard let ledger, !command.dryRun else {
      let outcome = try outcome(receipt, ledger)
      report(outcome, of: receipt, source.file)
      for event in outcome.events + notes(of: outcome, source.file) {
        Console.print(bytes: EventEncoder().encode(event))
      }
      return
    }
    let appended = try explained(source.file) { () throws(IntakeFailure) in
      try intake(ledger).appendAndWait(receipt, named: source.file)
    }
    report(appended.outcome, of: receipt, source.file)
    var added = AppendSummary()
    for result in appended.results { added.add(result) }
    summary.add(added)
  }

  /// Prints what a file adds to the ones before it.
  private func rehearse(
    _ receipt: any PurchaseImport, _ file: String, in ledger: Ledger
  ) throws {
    let outcome = try outcome(receipt, ledger)
    report(outcome, of: receipt, file)
    let events = outcome.events + notes(of: outcome, file)
    var start = 0
    while start < events.count {
      let batch = events[start..<min(events.count, start + batchEventsMax)]
      let result = try explained(file) { () throws(IntakeFailure) in
        do throws(LedgerError) { return try ledger.appendAndWait(batch.inputs) } catch {
          throw PurchaseIntake.failure(error, batch, named: file)
        }
      }
      for (event, outcome) in zip(batch, result.outcomes) {
        guard case .appended = outcome, try !isKnown(event.id) else { continue }
        Console.print(bytes: EventEncoder().encode(event))
      }
      start = batch.endIndex
    }
  }

  /// Whether the real ledger has an event, whichever customer it is about.
  private func isKnown(_ id: Name) throws -> Bool {
    guard let ledger else { return false }
    return try ledger.read { (view) throws(LedgerError) in try view.event(withID: id) != nil }
  }

  private func intake(_ ledger: Ledger) -> PurchaseIntake {
    PurchaseIntake(
      ledger, recordsClaims: command.receipt.claim, noteID: { Name.timedIdentifier($0) })
  }

  /// What a file says, compared with a ledger if there is one.
  private func outcome(
    _ receipt: any PurchaseImport, _ ledger: Ledger?
  ) throws -> ReceiptImport.Outcome {
    try explained("") { () throws(IntakeFailure) in
      if let ledger { return try intake(ledger).outcome(of: receipt) }
      do throws(ImportError) {
        return try receipt.outcome([:], recordsClaims: command.receipt.claim)
      } catch { throw .file(error) }
    }
  }

  /// Returns what `body` returns, and throws its failure as the commands report it.
  private func explained<Value>(
    _ file: String, _ body: () throws(IntakeFailure) -> Value
  ) throws -> Value {
    do throws(IntakeFailure) { return try body() } catch {
      switch error {
      case .file(let error): throw InputProblem(error.description)
      case .ledger(let error): throw error
      case .outrun:
        throw InputProblem(
          "\(file): the ledger changed each time this file was compared with it: "
            + "run it again, nothing is doubled",
          exitCode: ExitStatus.tryAgain)
      }
    }
  }

  /// The claims as events.
  private func notes(of outcome: ReceiptImport.Outcome, _ file: String) -> [Event] {
    PurchaseIntake.notes(of: outcome, named: file, at: EventLog.systemClock()) {
      Name.timedIdentifier($0)
    }
  }

  private func report(
    _ outcome: ReceiptImport.Outcome, of receipt: any PurchaseImport, _ file: String
  ) {
    if command.importFormat.format.isSigned, !receipt.isVerified {
      Console.complain(
        "daybook: \(file): no signature was verified, and the import is recorded as such "
          + "(verified: false).")
    }
    for warning in outcome.warnings { Console.complain("daybook: \(file): \(warning).") }
    for claim in outcome.claims {
      Console.complain("daybook: \(file): \(claim.advice.printable)")
    }
    guard outcome.unownedCount > 0 else { return }
    let count = outcome.unownedCount
    let what = count == 1 ? "one of its purchases has" : "\(count) of its purchases have"
    Console.complain(
      "daybook: \(file): \(what) no owner, because no account was named. Import it again with "
        + "--account ACCOUNT to name one.")
  }
}

extension ReceiptClaim {
  /// What the person who imports should know.
  fileprivate var advice: String {
    let count = transactions.count
    let what = count == 1 ? "transaction \(transactions[0])" : "\(count) transactions"
    return switch cause {
    case .owned:
      "the claim of \(account) on \(what) is recorded and changes nothing: another customer owns "
        + "\(count == 1 ? "it" : "them")."
    case .receiptStatesAnother:
      "\(what) state\(count == 1 ? "s" : "") an app_account_token other than \(account), and the "
        + "token counts. Link the two where they are one customer (daybook link), or say "
        + "--account-over-token."
    case .importNamesAnother:
      "\(account) counts for \(what), not the app_account_token. Link the two where they are one "
        + "customer (daybook link)."
    }
  }
}

extension AppendSummary {
  /// Adds the separate counts of one file, whose import may have been repeated.
  fileprivate mutating func add(_ other: AppendSummary) {
    appended += other.appended
    duplicates += other.duplicates
    rejected += other.rejected
    unknownTypes += other.unknownTypes
    errors += other.errors
    firstPosition = firstPosition ?? other.firstPosition
    lastPosition = other.lastPosition ?? lastPosition
  }
}
