internal import WorkThreads

extension LogView {
  /// The fewest records that are worth a thread of their own. Builds with checks use one for almost
  /// every read, so that each test reads in pieces.
  #if DEBUG
    private static let pieceRecordsMin = 8
  #else
    private static let pieceRecordsMin = 4_096
  #endif

  /// More threads bring little, and each takes one of the log's snapshots.
  private static let piecesMax = 8

  /// Reads many records on several cores, and returns what was read of consecutive pieces.
  ///
  /// Each thread reads its own snapshot. Records never change, so the snapshots agree on them.
  ///
  /// - Parameters:
  ///   - count: How many records there are. Few are one piece.
  ///   - log: The log that this view is of.
  ///   - read: Reads the records with these numbers of all `count`. Called on several threads, and
  ///     again for what has failed: there may have been no snapshots left for so many threads.
  /// - Complexity: that of reading, shared by the cores.
  func inPieces<Value: Sendable>(
    _ count: Int, of log: EventLog,
    _ read: @escaping @Sendable (LogView, Range<Int>) throws(LedgerError) -> Value
  ) throws(LedgerError) -> [Value] {
    let pieces = Self.pieces(of: count)
    if pieces.count < 2 { return [try read(self, 0..<count)] }
    let found = concurrentMap(pieces.count) { index in
      Result { () throws(LedgerError) in
        try log.read { (view) throws(LedgerError) in try read(view, pieces[index]) }
      }
    }
    var values: [Value] = []
    for (piece, found) in zip(pieces, found) {
      if case .success(let value) = found {
        values.append(value)
      } else {
        values.append(try read(self, piece))
      }
    }
    return values
  }

  /// Pieces of about the same size: one for each core, but no small ones. There is at least one.
  private static func pieces(of count: Int) -> [Range<Int>] {
    let pieces = max(1, min(count / pieceRecordsMin, Cores.count, piecesMax))
    return (0..<pieces).map { count * $0 / pieces..<count * ($0 + 1) / pieces }
  }
}
