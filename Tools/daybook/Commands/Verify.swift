import ArgumentParser
import Audit
import LedgerAnswers
import LedgerEvents
import LedgerStore

struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Verifies the whole ledger: checksums, hashes, positions and projections.",
    discussion: """
      Checks the structure of the log's pages, every record and every node of the hash tree. Then \
      it folds the log again, in a temporary folder, and compares the result with the \
      projections. It writes nothing to the ledger. With --log or --since, it verifies only the \
      log.

      --checkpoint names signed checkpoints that were kept outside the ledger. With them, it also \
      checks that the ledger still begins with the events that were signed. Without them, \
      somebody who can write to the ledger can change it consistently, and nothing shows it.

      The exit code is 1 if something was changed or damaged. It is also 1 if keys of personal \
      data are missing, even though the log itself is intact without them. Example:

        daybook verify --checkpoint 2026-02-01.checkpoint --key books.example.com/shop+7c2a…+AWl…
      """)

  @OptionGroup var options: LedgerOptions
  @OptionGroup var kept: CheckpointOptions

  @Flag(
    help: """
      Accepts that keys are missing, after `restore --without-keys` or after erasures since the \
      backup. They are listed, but are not a fault as long as there is a key file.
      """)
  var withoutKeys = false

  @Flag(help: "Verifies only the log: the projections are not folded again and compared.")
  var log = false

  @Option(
    help: ArgumentHelp(
      "Verifies only the log, and only the events after this position. Prints the root that the "
        + "stored tree has at this position. The earlier events are not hashed again, not even "
        + "for older checkpoints.",
      valueName: "position"))
  var since: UInt64?

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let checkpoints = try kept.checkpoints()
      try verifyPages(checkpoints)
      let log = try EventLog.toVerify(options.path)
      // Signatures come first, so that faults of the rest cannot keep them from being reported.
      let report = try report(checkpoints, log)
      if format == .table { report?.lines.forEach(Console.print) }
      let hasKeyFile = try Self.hasKeyFile(log)
      let bar = ProgressBar("verifying", unit: "events")
      defer { bar.end() }
      let found = try log.verify(since: since ?? 0, progress: bar.show)
      bar.end()
      let isSigned = report?.kept.allFit != false
      // Projections cannot be compared with a damaged log.
      var projections = ProjectionVerdict.agree
      let isLogOnly = self.log || since != nil
      if found.keyFaults.contains(where: { $0.part == .keyFile }) {
        projections = .notCompared("folding them needs the key file")
      } else if found.damage.isEmpty && isSigned && !isLogOnly {
        let second = ProgressBar("comparing", unit: "events")
        defer { second.end() }
        projections = try log.verifyProjections(progress: second.show)
      }
      switch format {
      case .table:
        if let since { try Self.printSince(since, log) }
        Self.printTable(found, isLogOnly ? nil : projections, isSigned: isSigned)
        printKeys(found.keyFaults, of: log, hasKeyFile)
        Self.printErasure(found)
      case .json, .jsonl:
        Console.print(Self.json(found, isLogOnly ? nil : projections, report, since))
      }
      let isSound = found.damage.isEmpty && isSigned && projections.differences.isEmpty
      let isGivenUp = withoutKeys && hasKeyFile && found.keyFaults.allSatisfy { $0.part == .key }
      let hasKeys = found.keyFaults.isEmpty || isGivenUp
      if !isSound || !hasKeys { throw ExitStatus.found }
    }
  }

  /// Checks the structure of the log's pages first, because LMDB must not follow damaged ones.
  private func verifyPages(_ checkpoints: [SignedCheckpoint]) throws {
    let damaged = try EventLog.damagedPages(options.path)
    if damaged.isEmpty { return }
    let report = DamagedCheckpointReport(
      files: kept.files, checkpoints: checkpoints,
      roots: try EventLog.readableRoots(of: options.path, at: checkpoints.map(\.size)))
    switch format {
    case .table:
      report.lines.forEach(Console.print)
      for page in damaged { Console.print("page: \(page.description.printable)") }
      Console.print(
        "the log has \(DamageNotice.count(damaged)), so nothing else was verified: "
          + DamageNotice.damagedLogAdvice(options.path))
    case .json, .jsonl:
      var json = JSONText()
      json.object { json in
        json.member("faults", each: damaged) { json, page in
          json.object { json in
            json.member("part", "page")
            json.member("file", page.file)
            json.member("page", page.number)
            json.member("table", page.table)
            json.member("message", page.description)
          }
        }
        if !checkpoints.isEmpty { report.write(to: &json) }
      }
      Console.print(json.text)
    }
    throw ExitStatus.found
  }

  /// What the checkpoints say; `nil` if none are given.
  private func report(
    _ checkpoints: [SignedCheckpoint], _ log: EventLog
  ) throws -> CheckpointReport? {
    if checkpoints.isEmpty { return nil }
    let bar = ProgressBar("hashing", unit: "events")
    defer { bar.end() }
    let compared = try log.read { (view) throws(LedgerError) in
      try KeptCheckpoints(
        checkpoints, against: view, trusting: since ?? 0, progress: bar.show)
    }
    return CheckpointReport(files: kept.files, checkpoints: checkpoints, kept: compared)
  }

  /// Whether there is a key file, even one that cannot be used.
  private static func hasKeyFile(_ log: EventLog) throws(LedgerError) -> Bool {
    do throws(LedgerError) { return try log.hasKeyFile() } catch {
      guard error.code == .corrupt || error.code == .io || error.code == .readOnly else {
        throw error
      }
      return true
    }
  }

  /// Prints what was assumed to be correct.
  private static func printSince(_ position: UInt64, _ log: EventLog) throws(LedgerError) {
    let root = try log.storedRoot(at: position).hexadecimal
    Console.print("up to position \(position), the root is that of the tree: \(root)")
  }

  private static func printTable(
    _ found: LogVerification, _ projections: ProjectionVerdict?, isSigned: Bool
  ) {
    Console.print("\(found.events.counted("event")), root \(found.root.hexadecimal)")
    for fault in found.damage {
      let location = fault.position.map { "position \($0): " } ?? ""
      Console.print("\(fault.part.rawValue): \(location)\(fault.message.printable)")
    }
    for difference in projections?.differences ?? [] {
      Console.print("projections: \(difference.printable)")
    }
    if !isSigned {
      Console.print(
        "the log is not what was signed: keep this folder as evidence, and restore the ledger "
          + "elsewhere from a backup that fits")
    } else if !found.damage.isEmpty {
      Console.print("the log is damaged: restore the ledger from a backup")
    } else {
      switch projections {
      case nil: Console.print("the log is intact; the projections were not looked at")
      case .agree: Console.print("the log and the projections are intact")
      case .differ:
        Console.print("the log is intact; the projections are not: run `daybook rebuild`")
      case .notCompared(let reason):
        Console.print(
          "the log is intact; the projections were not compared: \(reason.printable)")
      }
    }
  }

  /// Prints what is wrong with the keys, and what to do about it.
  private func printKeys(_ faults: [LogFault], of log: EventLog, _ hasKeyFile: Bool) {
    if faults.isEmpty { return }
    for fault in faults { Console.print("key: \(fault.message.printable)") }
    if faults.contains(where: { $0.part == .keyFile }) {
      Console.print(
        "the log was checked without its keys: put \(log.keyFile) back from its backup, and verify "
          + "again")
    } else if !hasKeyFile {
      Console.print(
        "there is no key file \(log.keyFile): personal data cannot be decrypted without it")
    } else if faults.contains(where: { $0.part == .erasedKey }) {
      Console.print(
        "\(log.keyFile) is a copy from before an erasure and holds the erased keys again")
    } else if withoutKeys {
      Console.print("the personal data encrypted with them cannot be decrypted, and was given up")
    } else {
      Console.print(
        "the personal data encrypted with them cannot be decrypted; if they were given up, or "
          + "erased since the backup that this ledger was restored from, add --without-keys; else "
          + "put the key file back from its backup")
    }
  }

  private static func printErasure(_ found: LogVerification) {
    guard let position = found.unfinishedErasure else { return }
    Console.print(
      "erasure: the one at position \(position) is in progress or was interrupted: keys that it "
        + "destroys may still be in the key file. The next command that writes, such as "
        + "`daybook erase` for the same account, completes it")
  }

  private static func json(
    _ found: LogVerification, _ projections: ProjectionVerdict?, _ report: CheckpointReport?,
    _ since: UInt64?
  ) -> String {
    var json = JSONText()
    json.object { json in
      json.member("events", found.events)
      if let since { json.member("since", since) }
      json.member("root", found.root.hexadecimal)
      json.member("faults", each: found.damage) { json, fault in
        json.object { json in
          json.member("part", fault.part.rawValue)
          json.member("position", fault.position)
          json.member("name", fault.number)
          json.member("message", fault.message)
        }
      }
      json.member("keyFaults", strings: found.keyFaults.map(\.message))
      if let position = found.unfinishedErasure { json.member("unfinishedErasure", position) }
      if let projections { json.member("differences", strings: projections.differences) }
      if case .notCompared(let reason) = projections { json.member("notCompared", reason) }
      report?.write(to: &json)
    }
    return json.text
  }
}

extension ProjectionVerdict {
  /// What is wrong with the projections, as far as it is known.
  fileprivate var differences: [String] {
    if case .differ(let differences) = self { return differences }
    return []
  }
}
