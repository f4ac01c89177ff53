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
    var isTold = false
    var isFinished = false
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
      if line.kind == .sessionStarted {
        doing.isTold = false
        doing.installing = []
        doing.arrived = []
      }
      guard line.about == about else { continue }
      if line.isReport {
        doing.isTold = true
        doing.isFinished = false
        if line.isDelivery { doing.announced = Self.announced(line) }
      }
      switch line.kind {
      case .transactionFinished: auditFinish(line, &doing)
      case .purchaseFulfilled, .purchaseFulfillmentFailed: auditFulfilment(line, &doing)
      case .downloadFinished: if let download = line.download { doing.arrived.insert(download) }
      case .contentInstallStarted, .contentInstalled, .contentInstallFailed:
        auditInstall(line, &doing)
      default: break
      }
    }
  }

  private mutating func auditFinish(_ line: Line, _ doing: inout Doing) {
    expect(doing.isTold, "told-first", line, "of what it was not told in this launch")
    expect(!doing.isFinished, "finish-once", line, "again")
    doing.isFinished = true
    guard let delivery = newestReport(before: line), delivery.isDelivery else {
      expect(
        newestReport(before: line)?.kind == .transactionFailed || run.policy == "finish-everything",
        "finish-what-is-done", line, "of what is neither bought nor failed")
      return
    }
    // Products with content are fulfilled by installing the content.
    if Self.announced(delivery).isEmpty,
      !["finish-before-fulfillment", "finish-everything"].contains(run.policy)
    {
      expect(doing.fulfilments > 0, "fulfil-first", line, "before it was fulfilled")
    }
    let waits = [
      "careful", "download-everything", "never-finish", "credit-on-delivery",
      "finish-before-fulfillment", "progress-is-done",
    ]
    if waits.contains(run.policy) {
      expect(
        isContentThere(delivery, before: line.place, on: line.device), "install-first", line,
        "with \(doing.installed.count) of \(doing.announced.count) downloads installed")
    }
    if run.policy == "never-finish" {
      expect(
        delivery.kind != .transactionRestored, "never-finish", line, "of a restored one")
    }
  }

  /// Returns whether the app's disk has all parts that the transaction announces, in its version or
  /// a newer one, from any transactions.
  func isContentThere(_ delivery: Line, before place: Int, on device: Name?) -> Bool {
    let announced = Self.announced(delivery)
    let installs = lines.filter {
      $0.kind == .contentInstalled && $0.place < place && $0.device == device
        && $0.event.product == delivery.event.product
    }
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
    if line.kind == .purchaseFulfilled {
      doing.fulfilments += 1
      expect(
        doing.fulfilments == 1 || run.policy == "credit-on-delivery", "fulfil-once", line, "again")
    }
    expect(
      newestReport(before: line)?.isDelivery ?? false, "told-first", line,
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
    let newer = lines.first {
      $0.kind == .contentInstalled && $0.place < line.place && $0.device == line.device
        && $0.event.product == line.event.product
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
        !["refuse-payment", "interrupt-payment", "decline", "cancel"].allSatisfy { !struck($0) },
        "cause", line, "of no fault")
    case .contentPurged: expect(struck("purge"), "cause", line, "of no fault")
    default: break
    }
    let isFailure = line.event.type.text.lowercased().hasSuffix("failed")
    expect(isFailure == (error != nil), "error", line, "an error where none belongs, or none")
  }

  /// Returns whether a device is the development simulator, which never gets hosted content.
  func isSimulator(_ device: Name?) -> Bool {
    lines.contains {
      $0.kind == .sessionStarted && $0.device == device
        && $0.event.data.boolean("simulator") == true
    }
  }
}
