internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// What a reader keeps between questions: the tail folded in memory, and the source of texts.
final class ReaderState {
  var overlay: TailOverlay
  /// What the present question has read.
  var recent = RecentUnits()
  let texts: LogTexts
  let keyHash: KeyHash

  /// Begins at the checkpoint that the log confirms; `nil` if there is none.
  init?(
    _ log: EventLog, _ projections: Projections, _ reading: TransactionView, _ view: LogView
  ) throws(LedgerError) {
    guard let found = try projections.start(reading, confirmedBy: view, log.identity) else {
      return nil
    }
    texts = LogTexts(log)
    keyHash = log.identity.keyHash
    let context = try projections.tables.context(
      through: found.position, view, reading, texts)
    overlay = TailOverlay(after: found, context, texts)
  }
}
