internal import LMDB
internal import LedgerEvents
internal import RunStorage

/// The projections' index of ids and names, as the log's writer asks it.
struct ProjectionKeyIndex: LogIndex {
  let projections: Projections
  /// Where the index ends; nil before anything was folded.
  let checkpoint: Checkpoint?

  var reach: UInt64 { checkpoint?.position ?? 0 }
  var nameReach: NameNumber { checkpoint?.name ?? 0 }

  /// The index as far as the projections have come now.
  init(_ projections: Projections) throws(LedgerError) {
    self.projections = projections
    let reading = try projections.beginRead()
    checkpoint = try Checkpoint(reading.view, projections.tables)
  }

  func positions(ofIDs hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate] {
    try candidates(hashes, projections.tables.ids, projections.absentIDs, reach)
  }

  func numbers(ofNames hashes: [UInt64]) throws(LedgerError) -> [KeyCandidate] {
    try candidates(
      hashes, projections.tables.names, projections.absentNames, UInt64(nameReach))
  }

  private func candidates(
    _ hashes: [UInt64], _ family: SortedRuns, _ absent: AbsenceFilter, _ reach: UInt64
  ) throws(LedgerError) -> [KeyCandidate] {
    if reach == 0 || hashes.isEmpty { return [] }
    let reading = try projections.beginRead()
    let runs: RunsSnapshot
    do throws(RunsError) { runs = try family.snapshot(in: reading.view) } catch {
      throw LedgerError(error)
    }
    let keys = hashes.map(IndexKey.of)
    let places = try absent.candidates(keys, reach: reach, runs, reading.view)
    if places.isEmpty { return [] }
    let order = places.sorted { keys[$0] < keys[$1] }
    var found: [KeyCandidate] = []
    try runs.lookup(sorted: order.map { keys[$0] }, in: reading.view) {
      (index: Int, value: UInt32) throws(LedgerError) in
      found.append(KeyCandidate(index: order[index], value: value))
      return true
    }
    return found
  }
}
