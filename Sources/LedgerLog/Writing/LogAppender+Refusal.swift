internal import LMDB
internal import LedgerEvents

extension LogAppender {
  /// The end of the log before a batch.
  struct Mark {
    let frontier: MerkleFrontier
    let nameCount: NameNumber
    let slot: UInt32
  }

  /// Checks the batch's required consumptions. Returns an error if they are not covered.
  func refusal(
    of batch: PreparedBatch, _ positions: [UInt64], _ known: [UInt64], _ view: TransactionView,
    _ hooks: WriterHooks
  ) -> LedgerError? {
    let required = batch.records.required.filter { known[$0] == 0 && batch.keys.firsts[$0] == $0 }
    guard let first = required.first else { return nil }
    guard let check = hooks.consumption else {
      return LedgerError(
        .rebuildNeeded,
        "A required consumption needs the balances: open the ledger with its projections.",
        index: first)
    }
    let written = known.indices.filter { known[$0] == 0 && batch.keys.firsts[$0] == $0 }
    guard let lower = written.first, let upper = written.last else { return nil }
    do throws(LedgerError) {
      try check(
        PendingConsumptions(
          batch: positions[lower]...positions[upper], required: required.map { positions[$0] }),
        try LogView(view, tables))
      return nil
    } catch {
      let index = required.first { positions[$0] == error.position } ?? first
      return LedgerError(error.code, error.message, index: index, cause: error.cause)
    }
  }

  /// Removes what was written since `mark`, which are the last rows of each table.
  mutating func takeOut(
    from mark: Mark, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    var last = position
    while last > mark.frontier.size {
      _ = try transaction.delete(tables.records, last)
      _ = try transaction.delete(tables.personal, last)
      last -= 1
    }
    try names.takeOut(after: mark.nameCount, &transaction)
    try tree.takeOut(to: mark.frontier, from: tables.tree, &transaction)
    sealer.slot = mark.slot
  }
}
