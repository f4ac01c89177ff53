import LedgerAnswers
import LedgerEvents
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
  /// What is believed of signed data.
  private let trust: SignatureTrust
  private let passwords: PasswordTrust
  /// How rows become events, for `csv`.
  private let map: TableMap?
  /// The ledger to which a dry run over several files appends.
  private var rehearsal: ImportRehearsal?

  /// How often an import is computed again because something was appended meanwhile.
  private static let attemptsMax = 20
  /// Up to how many bytes of files stay read, and verified, while the others are put in order.
  private static let keptBytesMax = 64 << 20

  init(command: Import, ledger: Ledger?) throws {
    self.command = command
    self.ledger = ledger
    digestKey = try Import.digestKey(of: ledger)
    trust = try command.signed.trust(command)
    map = try command.particular.tableMap()
    passwords = try command.particular.passwordTrust(isUnverified: command.signed.isUnverified)
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
    let format = command.importFormat.format
    do throws(ImportError) {
      switch format {
      case .receipt: return try ReceiptImport(receipt: bytes, options: options, trust: trust)
      case .notificationV1:
        return try NotificationV1Import(bytes, options: options, trust: passwords)
      case .revenueCat, .revenueCatExport:
        return try RevenueCatImport(
          bytes, isExport: format == .revenueCatExport, options: options)
      case .csv:
        guard let map else {
          throw ImportError(.missing, reason: "a table needs a map", remedy: "Pass --map FILE")
        }
        return try TableImport(bytes, map: map, options: options)
      case _ where format.isOfStatements:
        return try SignedImport(bytes, as: format, options: options, trust: trust)
      default: return try ReceiptImport(bytes, options: options)
      }
    } catch {
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
      let known = try ledger?.read { (view) throws(LedgerError) in
        try KnownPurchases.all(of: receipt, in: view)
      }
      let outcome = try outcome(receipt, known ?? [:])
      report(outcome, of: receipt, source.file)
      for event in outcome.events + notes(of: outcome, source.file) {
        Console.print(bytes: EventEncoder().encode(event))
      }
      return
    }
    for attempt in 1...Self.attemptsMax {
      do {
        try append(receipt, source.file, to: ledger)
        return
      } catch let error as LedgerError where error.code == .conditionFailed {
        guard attempt < Self.attemptsMax else {
          throw InputProblem(
            "\(source.file): the ledger changed each time this file was compared with it: "
              + "run it again, nothing is doubled",
            exitCode: ExitStatus.tryAgain)
        }
      }
    }
  }

  /// Prints what a file adds to the ones before it.
  private func rehearse(
    _ receipt: any PurchaseImport, _ file: String, in ledger: Ledger
  ) throws {
    let known = try ledger.read { (view) throws(LedgerError) in
      try KnownPurchases.all(of: receipt, in: view)
    }
    let outcome = try outcome(receipt, known)
    report(outcome, of: receipt, file)
    let events = outcome.events + notes(of: outcome, file)
    var start = 0
    while start < events.count {
      let batch = events[start..<min(events.count, start + batchEventsMax)]
      let result = try Self.append(batch, file, to: ledger)
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

  private func outcome(
    _ receipt: any PurchaseImport, _ known: [StoreEnvironment: KnownPurchases]
  ) throws -> ReceiptImport.Outcome {
    do throws(ImportError) {
      return try receipt.outcome(known, recordsClaims: command.receipt.claim)
    } catch {
      throw InputProblem(error.description)
    }
  }

  /// Appends what the ledger lacks, if nothing has been appended since the ledger was read: an
  /// owner who became known meanwhile must not be overlooked.
  private mutating func append(
    _ receipt: any PurchaseImport, _ file: String, to ledger: Ledger
  ) throws {
    let name = ImportOptions.baseName(of: file)
    var (known, position, texts) = try ledger.read {
      (view) throws(LedgerError)
        -> ([StoreEnvironment: KnownPurchases], UInt64, [Name: Set<String>]) in
      let known = try KnownPurchases.all(of: receipt, in: view)
      var texts: [Name: Set<String>] = [:]
      for account in receipt.subjects.flatMap(\.accounts) {
        texts[account] = try view.notes(about: account)
      }
      return (known, view.position, texts)
    }
    let outcome = try outcome(receipt, known)
    let notes = notes(of: outcome, file).filter { note in
      note.account.flatMap { texts[$0] }?.contains(note.data.string("text") ?? name) != true
    }
    let events = outcome.events + notes
    var added = AppendSummary()
    var start = 0
    while start < events.count {
      let end = min(events.count, start + batchEventsMax)
      let result = try Self.append(
        events[start..<end], file, to: ledger,
        AppendOptions(condition: .noEvent(matching: EventFilter(), after: position)))
      added.add(result)
      position = max(position, result.positions?.upperBound ?? position)
      start = end
    }
    report(outcome, of: receipt, file)
    summary.add(added)
  }

  /// Appends a batch. Nobody can give an event of a file another id: if the ledger has other
  /// content under it, two files contradict each other.
  private static func append(
    _ batch: ArraySlice<Event>, _ file: String, to ledger: Ledger,
    _ options: AppendOptions = AppendOptions()
  ) throws -> AppendResult {
    do throws(LedgerError) {
      return try ledger.appendAndWait(batch.map { EventInput(event: $0) }, options: options)
    } catch {
      guard error.code == .conflict else { throw error }
      let event = error.index.map { batch[batch.startIndex + $0] }
      let id = event.map { " with the id \($0.id)" } ?? ""
      let position = error.position.map { " at position \($0)" } ?? ""
      throw InputProblem(
        ImportError(
          .contradiction, file: ImportOptions.baseName(of: file),
          reason: "it states a fact\(id) that the ledger has in other words\(position)",
          remedy: "Compare the two: daybook events shows the ledger's, and --dry-run the file's"
        ).description)
    }
  }

  /// The claims as events. Their ids are random, because an id must not reveal an account.
  private func notes(of outcome: ReceiptImport.Outcome, _ file: String) -> [Event] {
    let now = EventLog.systemClock()
    let name = ImportOptions.baseName(of: file)
    return outcome.claims.map { claim in
      claim.note(id: Name.timedIdentifier(now), at: now, fileName: name)
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
      Console.complain("daybook: \(file): \(TextTable.printable(claim.advice))")
    }
    guard outcome.unownedCount > 0 else { return }
    let count = outcome.unownedCount
    let what = count == 1 ? "one of its purchases has" : "\(count) of its purchases have"
    Console.complain(
      "daybook: \(file): \(what) no owner, because no account was named. Import it again with "
        + "--account ACCOUNT to name one.")
  }
}

extension LedgerView {
  /// The texts of the notes in an account's history.
  fileprivate func notes(about account: Name) throws(LedgerError) -> Set<String> {
    var query = EventsQuery()
    query.account = account
    query.type = "note.added"
    var texts: Set<String> = []
    try events(query) { (recorded) throws(LedgerError) in
      if recorded.event.account == account, let text = recorded.event.data.string("text") {
        texts.insert(text)
      }
      return true
    }
    return texts
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
