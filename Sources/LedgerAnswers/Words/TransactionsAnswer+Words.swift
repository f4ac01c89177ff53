import LedgerModel
package import LedgerQueries

extension TransactionsAnswer.Entry {
  /// How the purchase stands, in words.
  package var stateText: String {
    let bought = state ?? (purchasedAt == nil ? "-" : "by the store")
    return bought + (reversal.map { ", \($0.text)" } ?? "")
  }

  /// How it stands in the queue of the device, in words.
  package var queueText: String {
    switch phase {
    case .undelivered: isOnQueue ? "waiting" : "-"
    case .open: isRemovedUnfinished ? "removed unfinished" : "open"
    case .finished: finishCount > 1 ? "finished (\(finishCount) times)" : "finished"
    }
  }
}

extension TransactionsAnswer.Download {
  /// How far the download is, in words.
  package var progressText: String {
    let share = progress.map { " \(Int($0 * 100))%" } ?? ""
    return phase.text + share + (isCancelledByFinish ? " (by the finish)" : "")
  }
}
