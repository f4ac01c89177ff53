internal import LMDB

extension RunBlock {
  /// Returns the block of sorted entries as the value of its row: as many as fit, at least one.
  ///
  /// - Complexity: O(*n*).
  /// - Precondition: There is an entry.
  package static func encoded(_ entries: [RunEntry], of run: UInt32) -> [UInt64] {
    var words: [UInt64] = []
    encode(entries, from: 0, count: fit(entries, from: 0), of: run, into: &words)
    return words
  }

  /// Returns the entries of a block with keys from `lower` through `upper`, in order.
  ///
  /// - Parameters:
  ///   - bytes: The row's value.
  ///   - run: The run in the row's key.
  ///   - first: The first entry in the row's key.
  ///   - lower: The lowest key.
  ///   - upper: The highest key.
  ///   - isChecked: Whether to assume that the checksum is right, without comparing it.
  /// - Complexity: O(*n*).
  /// - Throws: ``RunsError`` if it is not a block, or not the one that was written under the key.
  package static func entries(
    of bytes: Span<UInt8>, run: UInt32, first: RunEntry, from lower: UInt64 = 0,
    through upper: UInt64 = .max, isChecked: Bool = false
  ) throws(RunsError) -> [RunEntry] {
    let block = try RunBlockView(
      bytes, under: RunKey(run: run, order: first.order), isChecked: isChecked)
    var entries: [RunEntry] = []
    if lower == 0, upper == .max {
      try block.append(to: &entries)
    } else {
      try block.append(from: lower, through: upper, to: &entries)
    }
    return entries
  }
}
