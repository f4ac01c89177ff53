internal import LMDB

extension LogView {
  /// Computes the roots at several sizes from the records. The stored nodes are not used, because
  /// somebody who rewrites records may also have rewritten the nodes to fit.
  ///
  /// - Parameters:
  ///   - sizes: The sizes, in any order. Sizes beyond the end of the log have no root.
  ///   - base: Up to this size, roots are taken from the tree, and nothing is read again.
  ///   - progress: Called from time to time with the position reached and the last position.
  /// - Returns: The roots by size. If a record is missing, larger sizes have no root.
  /// - Complexity: O(*n*), one or two hashes per event up to the largest size.
  /// - Throws: ``LedgerError`` if the log cannot be read at all.
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
