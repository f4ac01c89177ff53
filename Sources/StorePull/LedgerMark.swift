/// An event by which a pull recognizes the ledger: one that was replaced, or restored from before
/// the event, has another event there, or none.
///
/// Neither member changes when personal data is erased.
package struct LedgerMark: Codable, Sendable, Equatable {
  package var position: Int64
  /// When the ledger recorded it, to the microsecond.
  package var recordedAt: String
  package var type: String

  package init(position: Int64, recordedAt: String, type: String) {
    (self.position, self.recordedAt, self.type) = (position, recordedAt, type)
  }
}

extension PullRun {
  /// Begins all lists again if the ledger is not the one into which they were pulled, or was
  /// restored from before: behind the cursors, it would never get what it lacks.
  ///
  /// - Throws: ``PullError``: `daybook`, with exit code 66 if there is no ledger although one was
  ///   noted; `disk`.
  mutating func checkLedger() throws(PullError) {
    guard !isLedgerChecked else { return }
    let noted = try folder.mark()
    if noted.isThere { try importer.requireLedger() }
    var isKnown = noted.isThere
    if let mark = noted.mark {
      isKnown = try importer.mark(at: mark.position) == mark
    }
    if noted.isThere, !isKnown || noted.mark == nil {
      try folder.beginAgain()
      client.notice(
        "the ledger is another one than at the last pull into \(folder.path), or it was restored "
          + "from before it: all lists are pulled from their beginning, and nothing is doubled")
      isKnown = false
    }
    if !isKnown, let mark = try importer.mark(at: nil) { try folder.note(mark) }
    isLedgerChecked = true
  }

  /// Imports a file, and notes the ledger's last event before any cursor moves: also if nothing was
  /// appended, because an earlier run, which was killed, or somebody else may have done that.
  func importNoting(
    _ file: String, _ environment: StoreHost.Environment
  ) async throws(PullError) -> Int {
    let appended = try await importer.importAnswer(folder.answerPath(file), from: environment)
    if let mark = try importer.mark(at: nil) { try folder.note(mark) }
    return appended
  }
}
