internal import LMDB

extension LogView {
  /// The roots at some sizes as the records give them, whatever the stored nodes say: who rewrites
  /// records may have rewritten the nodes to fit.
  ///
  /// - Parameters:
  ///   - sizes: In any order; those beyond the end of the log have no root.
  ///   - base: Up to here, roots are those that the tree has, and nothing is read again.
  ///   - progress: Called now and then with the events hashed and how many there are to hash.
  /// - Returns: The roots by size. Where a record is missing, sizes from there on have none.
  /// - Complexity: O(*n*), one or two hashes an event up to the largest size.
  /// - Throws: ``LedgerError`` where the log cannot be read at all.
  public func rehashedRoots(
    at sizes: [UInt64], trusting base: UInt64 = 0,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LedgerError) -> [UInt64: TreeHash] {
    let wanted = Set(sizes.filter { $0 <= lastPosition })
    let last = wanted.max() ?? 0
    var roots: [UInt64: TreeHash] = [:]
    var hasher = TreeHasher()
    var frontier = MerkleFrontier(size: base, peaks: try peaks(at: base, &hasher))
    var nodes: [TreeHash] = []
    let erased = try erasureCommitments()
    for size in wanted where size <= base { roots[size] = try root(at: size) }
    while frontier.size < last {
      var entry: [UInt8] = []
      let position = frontier.size + 1
      do throws(LedgerError) {
        try appendLeaf(
          of: try recordBytes(at: position), at: position, to: &entry, erased: erased)
      } catch { break }
      nodes.removeAll(keepingCapacity: true)
      frontier.append(hasher.leafHash(entry.span), &hasher, completed: &nodes)
      if wanted.contains(frontier.size) { roots[frontier.size] = frontier.root(&hasher) }
      if frontier.size % LogVerifier.progressInterval == 0 { progress(frontier.size, last) }
    }
    return roots
  }
}
