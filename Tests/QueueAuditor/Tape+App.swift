internal import LedgerEvents

// The rules for apps, for each policy except where it intentionally differs (`simulator.md`, *What
// is caught*).
extension Tape {
  mutating func auditApp() {
    for lines in byTransaction { auditTransaction(lines) }
    for line in lines { auditCause(line) }
  }

  /// What the app did with one transaction on one device.
  private struct Doing {
    /// Whether it was delivered in this launch.
    var isReported = false
    var isFinished = false
    /// Since it was reported last.
    var finishes = 0
    var isRejected = false
    /// The backend refused it, and nothing has happened since that makes the app try again.
    var isRefused = false
    var fulfilments = 0
    var installing: Set<Name> = []
    var arrived: Set<Name> = []
    var installed: Set<Name> = []
    var announced: [Name: Name] = [:]
  }

  private mutating func auditTransaction(_ own: [Line]) {
    var doing = Doing()
    let about = own[0].about
    for line in lines where line.device == own[0].device {
      if line.kind == .sessionForegrounded { doing.isRefused = false }
      if line.kind == .sessionStarted {
        doing.isReported = false
        doing.isRejected = false
        doing.isRefused = false
        doing.installing = []
        doing.arrived = []
      }
      guard line.about == about else { continue }
      if line.isReport {
        doing.isReported = true
        doing.isFinished = false
        doing.finishes = 0
        if line.isDelivery { doing.announced = Self.announced(line) }
      }
      switch line.kind {
      case .transactionFinished: auditFinish(line, &doing)
      case .purchaseFulfilled, .purchaseFulfillmentFailed: auditFulfilment(line, &doing)
      case .receiptRejected:
        doing.isRejected = true
        doing.isRefused = true
      case .contentRemoved: doing.installed = []
      case .downloadFinished: if let download = line.download { doing.arrived.insert(download) }
      case .contentInstallStarted, .contentInstalled, .contentInstallFailed:
        auditInstall(line, &doing)
      default: break
      }
    }
  }

  private mutating func auditFinish(_ line: Line, _ doing: inout Doing) {
    expect(doing.isReported, "told-first", line, "of what was not reported to it in this launch")
    let most = run.policy == "two-observers" ? 2 : 1
    expect(doing.finishes < most, "finish-once", line, "again")
    doing.isFinished = true
    doing.finishes += 1
    guard let delivery = believedReport(before: line), delivery.isDelivery else {
      expect(
        newestReport(before: line)?.kind == .transactionFailed || run.policy == "finish-everything",
        "finish-what-is-done", line, "of what is neither bought nor failed")
      return
    }
    // Products with content are fulfilled by installing the content.
    if Self.announced(delivery).isEmpty,
      !["finish-before-fulfillment", "finish-everything", "old-answers"].contains(run.policy),
      run.policy != "finish-after-rejection" || !doing.isRejected
    {
      let least = run.policy == "two-observers" ? 2 : 1
      expect(doing.fulfilments >= least, "fulfil-first", line, "before it was fulfilled")
    }
    let waits = [
      "careful", "download-everything", "never-finish", "credit-on-delivery",
      "finish-before-fulfillment", "progress-is-done", "purchased-only", "last-state-decides",
      "finish-after-rejection", "two-observers",
    ]
    if waits.contains(run.policy) {
      expect(
        isContentThere(delivery, before: line.number, on: line.device), "install-first", line,
        "with \(doing.installed.count) of \(doing.announced.count) downloads installed")
    }
    if run.policy == "purchased-only" {
      expect(
        delivery.kind != .transactionRestored || delivery.event.payment == nil, "purchased-only",
        line, "of a restored answer to a payment")
    }
    if run.policy == "never-finish" {
      expect(
        delivery.kind != .transactionRestored, "never-finish", line, "of a restored one")
    }
  }

  /// Whether the app's disk holds all parts of what the transaction announces, in one version that
  /// is its own or a newer one, whichever of the customer's transactions brought them.
  ///
  /// - Parameter customer: Whose content is looked at; `nil` for the transaction's holder.
  func isContentThere(
    _ delivery: Line, before number: Int, on device: Name?, for customer: Name? = nil
  ) -> Bool {
    let announced = Self.announced(delivery)
    let owner = customer ?? holder(of: delivery)
    let content = lines.filter {
      $0.number < number && $0.device == device && $0.event.product == delivery.event.product
        && ($0.kind == .contentInstalled || $0.kind == .contentRemoved)
        && ($0.event.account ?? holder(of: $0)) == owner
    }
    let removal = content.last { $0.kind == .contentRemoved }?.number ?? 0
    let installs = content.filter { $0.number > removal }
    let versions = Set(installs.compactMap { $0.event.data.name("contentVersion") })
    return versions.contains { version in
      announced.allSatisfy { download, least in
        !Self.isOlder(version, than: least)
          && installs.contains {
            $0.download == download && $0.event.data.name("contentVersion") == version
          }
      }
    } || announced.isEmpty
  }

  /// Compares versions of integers and dots, which are the only ones in scenarios for exploration.
  private static func isOlder(_ version: Name, than other: Name) -> Bool {
    var parts = version.text.split(separator: ".").map { Int($0) ?? .max }
    var others = other.text.split(separator: ".").map { Int($0) ?? .max }
    while parts.count < others.count { parts.append(0) }
    while others.count < parts.count { others.append(0) }
    return parts.lexicographicallyPrecedes(others)
  }

  private mutating func auditFulfilment(_ line: Line, _ doing: inout Doing) {
    expect(!doing.isRefused, "refused", line, "right after the backend refused it")
    doing.isRefused = line.kind == .purchaseFulfillmentFailed
    if line.kind == .purchaseFulfilled {
      doing.fulfilments += 1
      expect(
        doing.fulfilments == 1 || run.policy == "credit-on-delivery"
          || (doing.fulfilments == 2 && run.policy == "two-observers"), "fulfil-once", line,
        "again")
    }
    expect(
      believedReport(before: line)?.isDelivery ?? false, "told-first", line,
      "of what was not delivered")
  }

  private mutating func auditInstall(_ line: Line, _ doing: inout Doing) {
    guard let download = line.download else {
      note("install", line, "of no download")
      return
    }
    if let version = line.event.data.name("contentVersion") {
      expect(version == doing.announced[download], "install", line, "of version \(version)")
    }
    if line.kind == .contentInstallStarted {
      expect(doing.installing.insert(download).inserted, "install", line, "twice at once")
      expect(
        doing.arrived.contains(download) || run.policy == "progress-is-done", "install", line,
        "of what has not arrived in this launch")
      return
    }
    expect(doing.installing.remove(download) != nil, "install", line, "that was not begun")
    guard line.kind == .contentInstalled else { return }
    expect(doing.installed.insert(download).inserted, "install", line, "twice")
    auditVersion(line)
    expect(!doing.isFinished, "install", line, "from a cache that went with the finish")
    expect(
      doing.arrived.contains(download) || run.policy == "progress-is-done", "install", line,
      "of what has not arrived")
  }

  /// Checks that no version is installed over a newer one, whichever transaction it came from.
  private mutating func auditVersion(_ line: Line) {
    guard let version = line.event.data.name("contentVersion") else { return }
    let owner = line.event.account ?? holder(of: line)
    let content = lines.filter {
      $0.number < line.number && $0.device == line.device
        && $0.event.product == line.event.product
        && ($0.event.account ?? holder(of: $0)) == owner
    }
    let removal = content.last { $0.kind == .contentRemoved }?.number ?? 0
    let newer = content.first {
      $0.kind == .contentInstalled && $0.number > removal
        && Self.isOlder(version, than: $0.event.data.name("contentVersion") ?? version)
    }
    expect(newer == nil, "install-newer", line, "of version \(version) over a newer one")
  }

  /// Checks that every failure has a cause.
  private mutating func auditCause(_ line: Line) {
    let error = line.event.data.object("error")
    let domain = error?.first { $0.name == "domain" }?.value.string
    let code = error?.first { $0.name == "code" }?.value.integer
    switch line.kind {
    case .purchaseFulfillmentFailed: expect(struck("stop-backend"), "cause", line, "of no fault")
    case .receiptRejected:
      expect(
        struck("reject-receipt") || struck("reject-receipts"), "cause", line, "of no fault")
      let before = lines.last { $0.number < line.number && $0.device == line.device }
      expect(
        before?.kind == .receiptSubmitted && before?.about == line.about, "receipt", line,
        "of what was not submitted")
    case .receiptAccepted: note("receipt", line, "which the app does not record")
    case .contentRemoved:
      expect(
        ["last-state-decides", "restore-is-all"].contains(run.policy), "cause", line,
        "by an app that takes nothing away")
    case .contentInstallFailed:
      if domain == "NSCocoaErrorDomain" && code == 640 {
        expect(struck("fill-disk"), "cause", line, "of no fault")
      }
    case .downloadFailed:
      expect(struck("fail-download") || isSimulator(line.device), "cause", line, "of no fault")
    case .downloadFinished:
      expect(!isSimulator(line.device), "cause", line, "on the development simulator")
    case .transactionFailed:
      expect(
        ["refuse-payment", "interrupt-payment", "decline", "cancel"].contains { struck($0) }
          || (struck("contradict-delivery") && isContradiction(line)),
        "cause", line, "of no fault")
    case .contentPurged: expect(struck("purge"), "cause", line, "of no fault")
    default: break
    }
    let isFailure = line.event.type.text.lowercased().hasSuffix("failed")
    expect(isFailure == (error != nil), "error", line, "an error where none belongs, or none")
  }

  /// Whether the queue reports as failed what it has delivered before.
  func isContradiction(_ line: Line) -> Bool {
    line.kind == .transactionFailed
      && lines.contains {
        $0.number < line.number && $0.device == line.device && $0.about == line.about
          && $0.isDelivery
      }
  }

  /// Whether a device is the development simulator, to which hosted content never comes.
  func isSimulator(_ device: Name?) -> Bool {
    lines.contains {
      $0.kind == .sessionStarted && $0.device == device
        && $0.event.data.boolean("simulator") == true
    }
  }
}
