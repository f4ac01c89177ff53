internal import LMDB
internal import LedgerEvents

/// Finds a flipped bit in a name by means of the hash tree.
///
/// A name that does not identify a person has no checksum. If the tree contradicts a block of 16
/// events, any of their names may be the damaged one, and all events that need one of them would be
/// lost. But if a single bit was flipped, then turning it back gives the hash in the tree, and
/// SHA-256 proves that it was this bit.
struct NameRepair {
  private let source: SalvageSource
  private var hasher = TreeHasher()

  /// A repaired name.
  struct Found {
    let number: NameNumber
    let row: [UInt8]
  }

  /// The maximum number of bits to try in a block. In 16 events with the longest names, trying all
  /// bits would take too long.
  private static let bitsMax = 100_000

  init(_ source: SalvageSource) { self.source = source }

  /// Returns the damaged name in these positions, repaired, or `nil` if turning back one bit proves
  /// nothing.
  ///
  /// - Parameters:
  ///   - positions: A block of the tree, or the last positions.
  ///   - erasures: What the leaves of erasures contain of what they erased.
  ///   - isProven: Returns whether the hashes of the leaves are those in the tree.
  /// - Complexity: For each bit of the names that the block introduces, one leaf is hashed and
  ///   `isProven` is called.
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
        // For a person's name, the tree covers what precedes the encrypted text.
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
