internal import LMDB
internal import LedgerEvents
internal import RunStorage

/// The projections' index of ids and names, in the form that the log's writer uses.
struct ProjectionKeyIndex: LogIndex {
  let projections: Projections
  /// The checkpoint at which the index ends; `nil` if nothing has been folded yet.
  let checkpoint: Checkpoint?

  var reach: UInt64 { checkpoint?.position ?? 0 }
  var nameReach: NameNumber { checkpoint?.name ?? 0 }

  /// Opens the index as far as the projections are folded now.
  init(_ projections: Projections) throws(LedgerError) {
    self.projections = projections
    let reading = try projections.beginRead()
    checkpoint = try Checkpoint(reading.view, projections.tables)
  }

  func positions(ofIDs hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate] {
    try candidates(hashes, projections.absentIDs, reach) { (view) throws(LedgerError) in
      try projections.tables.wholeIDs(in: view)
    }
  }

  func numbers(ofNames hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate] {
    try candidates(
      hashes, projections.absentNames, UInt64(nameReach)
    ) { (view) throws(LedgerError) in try projections.tables.wholeNames(in: view) }
  }

  private func candidates(
    _ hashes: [UInt64], _ absent: AbsenceFilter, _ reach: UInt64,
    _ whole: (TransactionView) throws(LedgerError) -> RunsSnapshot
  ) throws(LedgerError) -> [KeyCandidate] {
    if reach == 0 || hashes.isEmpty { return [] }
    let reading = try projections.beginRead()
    let runs = try whole(reading.view)
    let keys = hashes.map(IndexKey.of)
    let present = try absent.candidates(keys, reach: reach, runs, reading.view)
    if present.isEmpty { return [] }
    let order = present.sorted { keys[$0] < keys[$1] }
    var found: [KeyCandidate] = []
    try runs.lookup(sorted: order.map { keys[$0] }, in: reading.view) {
      (index: Int, value: UInt32) throws(LedgerError) in
      found.append(KeyCandidate(index: order[index], value: value))
      return true
    }
    return found
  }
}
