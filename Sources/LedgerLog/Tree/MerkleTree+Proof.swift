/// The parts of the tree that make up a proof, as ranges of leaves counted from 0.
///
/// Each range is that of a node: a whole subtree or, at the right edge, an incomplete one. The
/// ranges are in the order in which a proof lists them, the lowest first.
extension MerkleTree {
  /// PATH(`index`, D[0:`size`]) of RFC 6962, section 2.1.1.
  ///
  /// - Precondition: `index` is less than `size`.
  /// - Complexity: O(log *n*).
  static func inclusionRanges(index: UInt64, size: UInt64) -> [Range<UInt64>] {
    precondition(index < size, "a leaf of the tree")
    var node: Range<UInt64> = 0..<size
    var ranges: [Range<UInt64>] = []
    while node.count > 1 {
      let middle = middle(of: node)
      if index < middle {
        ranges.append(middle..<node.upperBound)
        node = node.lowerBound..<middle
      } else {
        ranges.append(node.lowerBound..<middle)
        node = middle..<node.upperBound
      }
    }
    return ranges.reversed()
  }

  /// PROOF(`old`, D[0:`new`]) of RFC 6962, section 2.1.2; empty if the older tree is empty or
  /// equals the newer one.
  ///
  /// - Precondition: `old` is at most `new`.
  /// - Complexity: O(log *n*).
  static func consistencyRanges(from old: UInt64, to new: UInt64) -> [Range<UInt64>] {
    precondition(old <= new, "the older tree is not larger")
    guard old > 0, old < new else { return [] }
    var node: Range<UInt64> = 0..<new
    var ranges: [Range<UInt64>] = []
    while node.upperBound != old {
      let middle = middle(of: node)
      if old <= middle {
        ranges.append(middle..<node.upperBound)
        node = node.lowerBound..<middle
      } else {
        ranges.append(node.lowerBound..<middle)
        node = middle..<node.upperBound
      }
    }
    // The verifier knows the root of the older tree, so it is not part of the proof.
    if node.lowerBound > 0 { ranges.append(node) }
    return ranges.reversed()
  }

  /// Returns where the children of a node meet: after the largest power of two below its number of
  /// leaves.
  private static func middle(of node: Range<UInt64>) -> UInt64 {
    let count = node.upperBound - node.lowerBound
    return node.lowerBound + 1 << UInt64(63 - (count - 1).leadingZeroBitCount)
  }
}
