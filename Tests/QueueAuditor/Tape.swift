internal import LedgerEvents

/// One event of a run.
struct Line {
  /// The index, from 1.
  let number: Int
  let event: Event
  let kind: EventKind
  /// The name of its transaction in the device's queue: the transaction, else the payment.
  let about: Name?

  var device: Name? { event.device }
  var download: Name? { event.download }

  /// Whether a device's queue reports the state of a transaction.
  var isReport: Bool { event.device != nil && rank != nil }
  /// Whether a device's queue delivers something to give to the customer.
  var isDelivery: Bool {
    event.device != nil && (kind == .transactionPurchased || kind == .transactionRestored)
  }

  /// The progress of a reported transaction; states only move forward.
  var rank: Int? {
    switch kind {
    case .transactionPurchasing: 0
    case .transactionDeferred: 1
    case .transactionPurchased, .transactionRestored, .transactionFailed: 2
    default: nil
    }
  }

  var isDownloadReport: Bool {
    switch kind {
    case .downloadWaiting, .downloadProgressed, .downloadPaused, .downloadFinished,
      .downloadFailed, .downloadCancelled:
      true
    default: false
    }
  }

  /// Whether the queue calls its observer.
  var isCallback: Bool {
    isReport || isDownloadReport || kind == .transactionRemoved || kind == .restoreCompleted
  }
}

/// The recorded events of a run, and the rules they break.
struct Tape {
  let run: AuditedRun
  /// The events without repetitions of the same id.
  let lines: [Line]
  private(set) var violations: [Violation] = []

  init(_ run: AuditedRun) {
    self.run = run
    var transactions: [Name: Name] = [:]
    for event in run.events {
      if let payment = event.payment, let transaction = event.transaction {
        transactions[payment] = transactions[payment] ?? transaction
      }
    }
    var ids: Set<Name> = []
    var lines: [Line] = []
    for (index, event) in run.events.enumerated() where ids.insert(event.id).inserted {
      let about = event.transaction ?? event.payment.map { transactions[$0] ?? $0 }
      lines.append(
        Line(number: index + 1, event: event, kind: event.type.kind, about: about))
    }
    self.lines = lines
  }

  mutating func note(_ rule: String, _ line: Line?, _ what: String) {
    let type = line.map { "\($0.event.type.text) " } ?? ""
    violations.append(Violation(rule: rule, number: line?.number ?? 0, what: type + what))
  }

  /// Notes a rule if it does not hold.
  mutating func expect(
    _ holds: Bool, _ rule: String, _ line: Line?, _ what: @autoclosure () -> String
  ) {
    if !holds { note(rule, line, what()) }
  }

  func struck(_ fault: String) -> Bool { run.faults.contains(fault) }

  /// How many observers a line's device has on the queue at that line.
  func observerCount(at line: Line) -> Int {
    var count = 0
    for other in lines where other.device == line.device && other.number < line.number {
      switch other.kind {
      case .sessionStarted: count = 0
      case .sessionObserverAdded: count += 1
      case .sessionObserverRemoved: count -= 1
      default: break
      }
    }
    return count
  }

  /// Whose a line's transaction is: who was first said to be, of it or else of its original.
  func holder(of line: Line) -> Name? {
    let own = lines.first { $0.about == line.about && $0.event.account != nil }
    if let own { return own.event.account }
    let original = lines.first { $0.about == line.about && $0.event.originalTransaction != nil }?
      .event.originalTransaction
    guard let original else { return nil }
    return lines.first {
      ($0.about == original || $0.event.originalTransaction == original)
        && $0.event.account != nil
    }?.event.account
  }

  /// What the app takes for the state of a line's transaction: that something was delivered, if it
  /// ever was, whatever the queue says later; `last-state-decides` believes what comes last.
  func believedReport(before line: Line) -> Line? {
    if run.policy == "last-state-decides" { return newestReport(before: line) }
    return lines.last {
      $0.number < line.number && $0.device == line.device && $0.about == line.about && $0.isDelivery
    } ?? newestReport(before: line)
  }

  /// The lines of each device, in order.
  var byDevice: [Name: [Line]] {
    Dictionary(grouping: lines.filter { $0.device != nil }) { $0.device ?? "" }
  }

  /// The lines of each transaction on each device, in order.
  var byTransaction: [[Line]] {
    let queued = lines.filter { $0.device != nil && $0.about != nil }
    let groups = Dictionary(grouping: queued) { [$0.device ?? "", $0.about ?? ""] }
    return groups.values.sorted { $0[0].number < $1[0].number }
  }

  /// Returns the versions that a delivery announces, by download.
  static func announced(_ line: Line) -> [Name: Name] {
    var versions: [Name: Name] = [:]
    for download in line.event.data.array("downloads") ?? [] {
      guard let name = download["download"]?.string else { continue }
      versions[Name(name)] = Name(download["contentVersion"]?.string ?? "")
    }
    return versions
  }
}
