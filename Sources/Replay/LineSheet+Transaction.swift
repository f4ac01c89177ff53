internal import LedgerEvents
internal import LedgerModel

extension LineSheet {
  /// Writes the lines of a transaction and of its downloads.
  mutating func write(_ transaction: TransactionStanding, _ texts: NumberedEvents) {
    let name = texts.text(of: transaction.number)
    let subject = Self.subject(transaction.number, transaction.environment, texts)
    set(ReplayStanding(transaction), for: subject)
    for download in transaction.downloads {
      let subject = ReplaySubject(
        kind: .download, environment: transaction.environment, account: nil, transaction: name,
        device: texts.name(download.device), name: texts.text(of: download.number))
      set(ReplayStanding(download), for: subject)
    }
  }

  /// Removes the line of a payment whose transaction is now known.
  mutating func strike(payment: NameNumber, _ source: PartSource) {
    if payment == 0 { return }
    let subject = Self.subject(payment, source.environment, source.texts)
    if lines[subject] != nil { set(nil, for: subject) }
  }

  /// A transaction, or the payment by whose number it is known so far.
  private static func subject(
    _ number: NameNumber, _ environment: StoreEnvironment, _ texts: NumberedEvents
  ) -> ReplaySubject {
    ReplaySubject(
      kind: texts.isPayment(number) ? .payment : .transaction, environment: environment,
      account: nil, transaction: nil, device: nil, name: texts.text(of: number))
  }
}

extension ReplayStanding {
  /// An entitlement's state, and when it ends: `active until 2026-05-01T00:00:00Z`.
  init(_ state: EntitlementState, end: Int64) {
    let end = end == .max ? "" : " until \(Instant(microseconds: end).rfc3339)"
    self.init(text: state.text + end, phase: state.text)
  }

  /// A transaction's state in words, `purchased, open`, and its phase on the queue.
  init(_ transaction: TransactionStanding) {
    var words: [String] = []
    let reported = transaction.reported.text.split(separator: ".").last.map(String.init)
    if transaction.reported != .unknown {
      words.append(reported ?? transaction.reported.text)
    } else {
      words.append(transaction.purchasedAt == nil ? "seen" : "bought, says the store")
    }
    let phase: String
    switch transaction.phase {
    case .open:
      let isRemoved = transaction.isRemovedUnfinished
      words.append(isRemoved ? "open, removed" : "open")
      let isFailed = transaction.reported == .transactionFailed
      phase = isRemoved ? "removed" : isFailed ? "failed" : "open"
    case .finished:
      words.append("finished")
      phase = "finished"
    case .undelivered:
      phase = transaction.reported == .unknown ? "seen" : reported ?? "seen"
    }
    if let reversal = transaction.reversal { words.append(reversal.text) }
    self.init(text: words.joined(separator: ", "), phase: phase)
  }

  /// A download's state in words, `active 31%`, with its progress.
  init(_ download: DownloadStanding) {
    var line = download.phase.text
    if let progress = download.progress, download.phase != .finished {
      line += " \(Int((progress * 100).rounded(.down)))%"
    }
    if download.isCancelledByFinish { line += " by the finish" }
    if let version = download.version { line += ", version \(version.text)" }
    self.init(text: line, phase: download.phase.text, progress: download.progress)
  }
}
