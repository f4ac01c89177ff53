internal import LMDB
internal import LedgerEvents

/// Finds the bit that was flipped in a name, by the hash tree.
///
/// A name that identifies nobody has no checksum, so of a block of 16 events that the tree
/// contradicts, any name may be the damaged one, and all events would be lost that need one of
/// them. But if a single bit was flipped, then turning it back gives the hash that the tree holds,
/// and SHA-256 proves that it was this one.
struct NameRepair {
  private let source: SalvageSource
  private var hasher = TreeHasher()

  /// A name that is repaired.
  struct Found {
    let number: NameNumber
    let row: [UInt8]
  }

  /// Bits that are tried in a block: 16 events with the longest names would have more than anybody
  /// waits for.
  private static let bitsMax = 100_000

  init(_ source: SalvageSource) { self.source = source }

  /// The name that was damaged in these positions; nil if turning back one bit proves nothing.
  ///
  /// - Parameters:
  ///   - positions: A block of the tree, or the last positions.
  ///   - erasures: What the leaves of erasures hold of what they erased.
  ///   - isProven: Whether the hashes of the leaves are those that the tree holds.
  /// - Complexity: three hashes for each bit of the names that the block introduces, or as many as
  ///   `isProven` needs.
  mutating func find(
    in positions: ClosedRange<UInt64>, _ erasures: [UInt64: [UInt8]],
    isProven: ([TreeHash]) -> Bool
  ) -> Found? {
    var records: [[UInt8]] = []
    var leaves: [TreeHash] = []
    for position in positions {
      guard let record = source.record(position),
        let entry = SalvagedLeaf.entry(
          of: record, erased: erasures[position], name: { source.unverifiedName($0) })
      else { return nil }
      records.append(record)
      leaves.append(hasher.leafHash(entry.span))
    }
    var bitsLeft = Self.bitsMax
    for (index, record) in records.enumerated() {
      let erased = erasures[positions.lowerBound + UInt64(index)]
      for number in SalvagedLeaf.introduced(by: record) {
        guard let row = source.unverifiedName(number) else { continue }
        // Of a person's name, the tree holds what stands before the encrypted text.
        let isPerson = SealedName(row.span) != nil
        let end = isPerson ? SealedName.headByteCount : row.count
        for bit in 8..<end * 8 where bitsLeft > 0 {
          bitsLeft -= 1
          var turned = row
          turned[bit / 8] ^= 1 << UInt8(bit % 8)
          let isName =
            isPerson ? SealedName(turned.span) != nil : SalvageSource.isPublicName(turned)
          guard isName,
            let entry = SalvagedLeaf.entry(
              of: record, erased: erased,
              name: { $0 == number ? turned : source.unverifiedName($0) })
          else { continue }
          var candidate = leaves
          candidate[index] = hasher.leafHash(entry.span)
          if isProven(candidate) { return Found(number: number, row: turned) }
        }
      }
    }
    return nil
  }
}
