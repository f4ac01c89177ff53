package import LMDB

extension RunsSnapshot {
  /// Calls `body` with the values of `key`, beginning with the largest run, until it returns false.
  ///
  /// A value that is in several runs is passed several times.
  ///
  /// - Complexity: O(*r* log *n*) for *r* runs of *n* entries: about half a microsecond per run.
  /// - Throws: ``RunsError`` as `Failure`, or the error of `body`.
  package func lookup<Failure: RunsFailure>(
    _ key: UInt64, in view: TransactionView, _ body: (UInt32) throws(Failure) -> Bool
  ) throws(Failure) {
    var found: [RunEntry] = []
    var cursor: RunCursor
    do throws(RunsError) { cursor = try RunCursor(view, table) } catch { throw Failure(error) }
    for run in order where run.first <= key && key <= run.last.key {
      found.removeAll(keepingCapacity: true)
      do throws(RunsError) {
        try collect(key, in: run, &cursor, &found)
      } catch { throw Failure(error) }
      for entry in found { guard try body(entry.value) else { return } }
    }
  }

  /// Returns the values of `key`, beginning with the largest run.
  ///
  /// - Complexity: Like ``lookup(_:in:_:)``.
  /// - Throws: ``RunsError``.
  package func values(of key: UInt64, in view: TransactionView) throws(RunsError) -> [UInt32] {
    var values: [UInt32] = []
    try lookup(key, in: view) { (value: UInt32) throws(RunsError) in
      values.append(value)
      return true
    }
    return values
  }

  /// Calls `body` with the index of a key in `keys` and one of its values, for every value of every
  /// key. After `body` has returned false for a key, it is not called for that key again.
  ///
  /// Runs are searched one after the other, the largest first, and each from its least key to its
  /// greatest, so that a page is read only once for all keys in it.
  ///
  /// - Complexity: O(*r* *k*) steps for *k* keys and *r* runs.
  /// - Precondition: `keys` are in ascending order.
  /// - Throws: ``RunsError`` as `Failure`, or the error of `body`.
  package func lookup<Failure: RunsFailure>(
    sorted keys: [UInt64], in view: TransactionView,
    _ body: (_ index: Int, _ value: UInt32) throws(Failure) -> Bool
  ) throws(Failure) {
    guard let least = keys.first, let greatest = keys.last else { return }
    var open = Array(keys.indices)
    var found: [(index: Int, value: UInt32)] = []
    for run in runs(from: least, through: greatest) {
      found.removeAll(keepingCapacity: true)
      do throws(RunsError) {
        try collect(keys, open, in: run, view, &found)
      } catch { throw Failure(error) }
      var closed: Set<Int> = []
      for (index, value) in found where !closed.contains(index) {
        if try !body(index, value) { closed.insert(index) }
      }
      if !closed.isEmpty { open.removeAll { closed.contains($0) } }
    }
  }

  /// Appends the values of the sorted `keys` whose indices are in `open`, each with its index.
  private func collect(
    _ keys: [UInt64], _ open: [Int], in run: RunDescription, _ view: TransactionView,
    _ found: inout [(index: Int, value: UInt32)]
  ) throws(RunsError) {
    var cursor = try RunCursor(view, table)
    var entries: [RunEntry] = []
    for index in open {
      let key = keys[index]
      guard key >= run.first, key <= run.last.key else { continue }
      entries.removeAll(keepingCapacity: true)
      try collect(key, in: run, &cursor, &entries)
      for entry in entries { found.append((index, entry.value)) }
    }
  }

  /// Appends the entries of `key` in `run`, whose keys include it.
  ///
  /// - Throws: ``RunsError`` unless all the blocks that can contain the key were read.
  private func collect(
    _ key: UInt64, in run: RunDescription, _ cursor: inout RunCursor, _ found: inout [RunEntry]
  ) throws(RunsError) {
    let least = RunKey(run: run.id, order: RunEntry(key: key).order)
    var rowKey = try cursor.seek(through: least)
    if rowKey?.run != run.id {
      rowKey = try cursor.seek(least)
      _ = try run.continues(with: rowKey, at: run.first, isFirst: true)
    }
    while let row = rowKey {
      let block = try cursor.block(row)
      let next = block.next
      try block.append(from: key, through: key, to: &found)
      if next > key { return }
      rowKey = try cursor.next()
      guard try run.continues(with: rowKey, at: next) else { return }
    }
  }
}
