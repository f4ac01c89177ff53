internal import LedgerEvents

// What `careful` owes its customers once the faults have stopped.
extension Tape {
  mutating func auditWhatIsOwed() {
    auditQueueIsEmpty()
    auditContentIsThere()
    auditCredits()
  }

  /// Checks that every delivered transaction was finished or left the queue.
  private mutating func auditQueueIsEmpty() {
    for lines in byTransaction {
      guard let newest = lines.last(where: { $0.isReport && $0.rank == 2 }) else { continue }
      if isSimulator(newest.device) { continue }
      let isClosed = lines.contains {
        $0.number > newest.number && [.transactionFinished, .transactionRemoved].contains($0.kind)
      }
      expect(isClosed, "owed-finish", newest, "and never finished")
    }
  }

  private func isRefunded(_ original: Name?) -> Bool {
    lines.contains { $0.kind == .transactionRefunded && $0.event.transaction == original }
  }

  /// Checks that all parts of each purchase are installed on the device to which it was delivered,
  /// in one version.
  private mutating func auditContentIsThere() {
    for line in lines where line.isDelivery && !isSimulator(line.device) {
      if isRefunded(line.event.originalTransaction) { continue }
      // A purchase that left the queue by itself was not given; its customer has the original that
      // it restored.
      let isGone = lines.contains {
        $0.device == line.device && $0.about == line.about && $0.kind == .transactionRemoved
      }
      let isFinished = lines.contains {
        $0.device == line.device && $0.about == line.about && $0.kind == .transactionFinished
      }
      if isGone && !isFinished && line.kind == .transactionRestored { continue }
      let devices = Set(
        lines.filter { $0.device == line.device || struck("remove") }.map(\.device))
      let isThere = devices.contains { isContentThere(line, before: .max, on: $0) }
      expect(isThere, "owed-content", line, "and its content is not there")
    }
  }

  /// Checks that each purchase without content is credited exactly once.
  private mutating func auditCredits() {
    let purchases = lines.filter {
      $0.isDelivery && $0.kind == .transactionPurchased && Self.announced($0).isEmpty
    }
    for transaction in Set(purchases.compactMap(\.about)) {
      let line = purchases.first { $0.about == transaction }
      if isRefunded(line?.event.originalTransaction) { continue }
      let count = lines.count { $0.about == transaction && $0.kind == .purchaseFulfilled }
      expect(count == 1, "owed-credit", line, "and fulfilled \(count) times")
    }
  }
}
