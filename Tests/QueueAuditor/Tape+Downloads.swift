internal import LedgerEvents

// The rules for the store's downloads. Sources: Apple's documentation of SKDownload and of
// SKPaymentQueue.start, pause, resume and cancel; `model.md` 14, 15.
extension Tape {
  mutating func auditDownloads() {
    let downloads = lines.filter {
      $0.device != nil && $0.download != nil && $0.event.transaction != nil
    }
    let groups = Dictionary(grouping: downloads) {
      [$0.device ?? "", $0.about ?? "", $0.download ?? ""]
    }
    for (_, lines) in groups { auditDownload(lines) }
  }

  /// What the observer knows about one download.
  fileprivate struct Attempt {
    var isRequested = false
    var newest: Line?
    var progress = 0.0
    /// Since the newest report.
    var isResumed = false
    var isPausedByApp = false
    var isCancelledByApp = false
    /// Whether the transaction was finished after the download was started.
    var isCutOff = false
  }

  private mutating func auditDownload(_ own: [Line]) {
    var attempt = Attempt()
    let context = lines.filter {
      $0.device == own[0].device
        && ($0.about == own[0].about || $0.kind == .sessionStarted
          || $0.kind == .sessionObserverAdded || $0.kind == .sessionForegrounded)
    }
    var versions: [Name: Name] = [:]
    var isDelivered = false
    var isFinished = false
    var wasFinished = false
    var isTellingAgain = false
    for line in context {
      switch line.kind {
      case .transactionPurchased, .transactionRestored:
        versions = Self.announced(line)
        isDelivered = true
        isFinished = false
      case .transactionFailed where isContradiction(line):
        // What the queue takes back and reports again is still on it.
        isDelivered = true
        isFinished = false
      case .transactionFinished:
        isFinished = true
        wasFinished = true
        attempt.isCutOff = true
      case .transactionRemoved: isDelivered = false
      case .sessionStarted: isDelivered = false
      case .sessionObserverAdded, .sessionForegrounded: isTellingAgain = true
      default: break
      }
      guard let download = line.download, download == own[0].download else { continue }
      expect(
        versions[download] != nil, "download-announced", line, "that no delivery announced")
      if let version = line.event.data.name("contentVersion") {
        expect(
          version == versions[download], "download-announced", line, "of version \(version)")
      }
      if line.isDownloadReport {
        expect(isDelivered && !isFinished, "download-of-open", line, "off the queue")
        audit(line, attempt, wasFinished: wasFinished, isTellingAgain: isTellingAgain)
        isTellingAgain = false
      } else if line.event.type.text.hasPrefix("download.") {
        expect(isDelivered && !isFinished, "download-of-open", line, "off the queue")
      }
      attempt.follow(line)
    }
  }

  /// Checks whether a report may follow the previous ones.
  private mutating func audit(
    _ line: Line, _ attempt: Attempt, wasFinished: Bool, isTellingAgain: Bool
  ) {
    expect(
      attempt.isRequested || (wasFinished && line.kind == .downloadCancelled),
      "download-order", line, "that nobody started")
    auditAmounts(line, attempt)
    let goesOn: Set<EventKind> = [.downloadWaiting, .downloadProgressed, .downloadPaused]
    expect(
      !attempt.isCutOff || !goesOn.contains(line.kind), "download-order", line,
      "though the finish cancelled it")
    switch line.kind {
    case .downloadPaused:
      expect(
        attempt.isPausedByApp || attempt.newest?.kind == .downloadPaused, "download-order", line,
        "that nobody paused")
    case .downloadCancelled:
      expect(
        attempt.isCancelledByApp || wasFinished || attempt.newest?.kind == .downloadCancelled,
        "download-order", line, "that nobody cancelled")
    default: break
    }
    guard let newest = attempt.newest else { return }
    let isLegal: Bool
    switch newest.kind {
    case .downloadWaiting: isLegal = true
    case .downloadProgressed:
      isLegal = line.kind != .downloadWaiting || attempt.isResumed
    case .downloadPaused:
      isLegal =
        line.kind == .downloadPaused || attempt.isResumed || attempt.isCancelledByApp
        || line.kind == .downloadCancelled
    default: isLegal = line.kind == newest.kind
    }
    expect(isLegal, "download-order", line, "after \(newest.event.type.text)")
    if line.kind == newest.kind && line.kind != .downloadProgressed && !attempt.isResumed
      && !attempt.isPausedByApp
    {
      expect(
        isTellingAgain || observerCount(at: line) > 1, "download-repetition", line,
        "again, with nothing to call for it")
    }
  }

  private mutating func auditAmounts(_ line: Line, _ attempt: Attempt) {
    guard let progress = line.event.data.double("progress") else {
      expect(
        line.kind != .downloadProgressed && line.kind != .downloadFinished, "progress", line,
        "without progress")
      return
    }
    expect((0...1).contains(progress), "progress", line, "\(progress)")
    expect(
      line.kind != .downloadFinished || progress == 1, "progress", line, "at \(progress)")
    if line.kind == .downloadProgressed {
      expect(
        progress >= attempt.progress, "progress", line, "\(progress) after \(attempt.progress)")
    }
    if let time = line.event.data.double("timeRemaining") {
      expect(time >= 0 || time == -1, "time-remaining", line, "\(time)")
      expect((time == -1) == (progress == 0), "time-remaining", line, "\(time) at \(progress)")
      expect(progress < 1 || time == 0, "time-remaining", line, "\(time) at \(progress)")
    }
  }
}

extension Tape.Attempt {
  fileprivate mutating func follow(_ line: Line) {
    switch line.kind {
    case .downloadRequested: self = .init(isRequested: true)
    case .downloadResumeRequested: isResumed = true
    case .downloadPauseRequested:
      isPausedByApp = true
      isResumed = false
    case .downloadCancelRequested: isCancelledByApp = true
    default:
      guard line.isDownloadReport else { return }
      newest = line
      isResumed = false
      if line.kind != .downloadPaused { isPausedByApp = false }
      if line.kind == .downloadProgressed {
        progress = line.event.data.double("progress") ?? progress
      }
    }
  }
}
