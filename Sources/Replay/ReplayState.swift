internal import LedgerEvents
internal import LedgerModel

/// What a replay shows of a fold: where each subject stands, made anew only where it can have
/// changed.
struct ReplayState {
  private struct Shown {
    var version: Int
    var contextVersion: Int
    /// The next moment at which time alone changes an answer.
    var nextChange: Int64
    var lines: [ReplaySubject: ReplayStanding]
  }

  private var shown: [UnitNumber: Shown] = [:]

  init() {}

  /// Looks at the ledger again and says what has changed, by subject.
  ///
  /// - Complexity: O(*n*) in what the changed units keep.
  mutating func update(_ replay: ReplayLedger) -> [ReplayChange] {
    var before: [ReplaySubject: ReplayStanding] = [:]
    var after: [ReplaySubject: ReplayStanding] = [:]
    let moments = StoreEnvironment.allCases.compactMap { environment in
      replay.ledger.newestEvent(in: environment).map { (environment, $0) }
    }
    let newest = moments.map(\.1).max() ?? .min
    var shown: [UnitNumber: Shown] = [:]
    replay.ledger.forEachUnit { number, version, unit in
      if replay.isBackground(number) { return }
      if let old = self.shown[number], old.version == version,
        old.contextVersion == replay.contextVersion, newest < old.nextChange
      {
        shown[number] = old
        return
      }
      before.merge(self.shown[number]?.lines ?? [:]) { $1 }
      var lines = ReplayLines(unit, replay)
      for (environment, moment) in moments { lines.add(environment, at: moment) }
      after.merge(lines.lines) { $1 }
      shown[number] = Shown(
        version: version, contextVersion: replay.contextVersion, nextChange: lines.nextChange,
        lines: lines.lines)
    }
    // Units that others absorbed.
    for (number, old) in self.shown where shown[number] == nil {
      before.merge(old.lines) { $1 }
    }
    self.shown = shown
    var changes: [ReplayChange] = []
    for (subject, line) in after where before[subject] != line {
      changes.append(ReplayChange(subject: subject, before: before[subject], after: line))
    }
    for (subject, line) in before where after[subject] == nil {
      changes.append(ReplayChange(subject: subject, before: line, after: nil))
    }
    return changes.sorted { $0.subject < $1.subject }
  }
}

/// The lines of one unit.
private struct ReplayLines {
  private let unit: Unit
  private let context: SharedContext
  private let texts: NumberedEvents
  private(set) var lines: [ReplaySubject: ReplayStanding] = [:]
  private(set) var nextChange = Int64.max

  init(_ unit: Unit, _ replay: ReplayLedger) {
    self.unit = unit
    context = replay.ledger.context
    texts = replay.texts
    for transaction in unit.standings { add(transaction) }
  }

  private mutating func add(_ transaction: TransactionStanding) {
    let name = texts.text(of: transaction.number)
    let subject = ReplaySubject(
      kind: texts.isPayment(transaction.number) ? .payment : .transaction,
      environment: transaction.environment, account: nil, transaction: nil, device: nil, name: name)
    lines[subject] = transaction.shown
    for download in transaction.downloads {
      let subject = ReplaySubject(
        kind: .download, environment: transaction.environment, account: nil, transaction: name,
        device: texts.name(download.device), name: texts.text(of: download.number))
      lines[subject] = download.shown
    }
  }

  /// Adds what customers have in an environment, and what nobody's transactions grant.
  mutating func add(_ environment: StoreEnvironment, at moment: Int64) {
    let only = EnvironmentSet(environment)
    var held: Set<NameNumber> = []
    for account in unit.knownAccounts {
      let owner = texts.text(of: account)
      for transaction in unit.standings(of: .account(account), environments: only) {
        held.insert(transaction.number)
      }
      add(answer(.account(account), only, moment), environment, owner: owner, original: nil)
      for content in unit.installed(.account(account), environments: only) {
        let subject = ReplaySubject(
          kind: .installed, environment: environment, account: owner, transaction: nil,
          device: texts.name(content.device), name: texts.text(of: content.product))
        lines[subject] = ReplayStanding(text: content.version.text)
      }
    }
    for transaction in unit.standings
    where transaction.environment == environment && !held.contains(transaction.number)
      && !texts.isPayment(transaction.number)
    {
      add(
        answer(.transaction(transaction.number), only, moment), environment, owner: nil,
        original: texts.text(of: transaction.original))
    }
  }

  private func answer(
    _ subject: Subject, _ environments: EnvironmentSet, _ moment: Int64
  ) -> Answer {
    unit.answer(subject, environments: environments, at: moment, context: context, texts: texts)
  }

  private mutating func add(
    _ answer: Answer, _ environment: StoreEnvironment, owner: Name?, original: Name?
  ) {
    nextChange = min(nextChange, answer.nextChangeAt ?? .max)
    for entry in answer.entries {
      let subject = ReplaySubject(
        kind: .entitlement, environment: environment, account: owner, transaction: original,
        device: nil, name: texts.name(entry.product) ?? entry.entitlement ?? "")
      let end = entry.expiresAt.map { " until \(Instant(microseconds: $0).rfc3339)" } ?? ""
      lines[subject] = ReplayStanding(text: entry.state.text + end, phase: entry.state.text)
    }
    for balance in answer.balances {
      let subject = ReplaySubject(
        kind: .balance, environment: environment, account: owner, transaction: original,
        device: nil, name: balance.unit)
      lines[subject] = ReplayStanding(text: "\(balance.amount)")
    }
  }
}

extension TransactionStanding {
  /// Its state in words, `purchased, open`, and where it stands on the queue.
  fileprivate var shown: ReplayStanding {
    var words: [String] = []
    let reported = self.reported.text.split(separator: ".").last.map(String.init)
    if self.reported != .unknown {
      words.append(reported ?? self.reported.text)
    } else {
      words.append(purchasedAt == nil ? "seen" : "bought, says the store")
    }
    let phase: String
    switch self.phase {
    case .open:
      words.append(isRemovedUnfinished ? "open, removed" : "open")
      phase =
        isRemovedUnfinished ? "removed" : self.reported == .transactionFailed ? "failed" : "open"
    case .finished:
      words.append("finished")
      phase = "finished"
    case .undelivered: phase = self.reported == .unknown ? "seen" : reported ?? "seen"
    }
    if let reversal { words.append(reversal.text) }
    return ReplayStanding(text: words.joined(separator: ", "), phase: phase)
  }
}

extension DownloadStanding {
  /// Its state in words, `active 31%`, with its progress.
  fileprivate var shown: ReplayStanding {
    var line = phase.text
    if let progress, phase != .finished { line += " \(Int((progress * 100).rounded(.down)))%" }
    if isCancelledByFinish { line += " by the finish" }
    if let version { line += ", version \(version.text)" }
    return ReplayStanding(text: line, phase: phase.text, progress: progress)
  }
}
