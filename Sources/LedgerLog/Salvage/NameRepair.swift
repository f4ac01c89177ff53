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
  private var bitsLeft = Self.bitsMax

  /// A repaired name.
  struct Found {
    let number: NameNumber
    let row: [UInt8]
  }

  /// Bits that are tried in all blocks together: about a minute.
  private static let bitsMax = 5_000_000

  /// Bits that are tried in a block: 16 events with the longest names would take too many of them.
  private static let bitsInBlockMax = 100_000

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
    var leaves: [TreeHash?] = []
    for position in positions {
      guard let record = source.record(position) else { return nil }
      let entry = SalvagedLeaf.entry(
        of: record, erased: erasures[position], name: { source.unverifiedName($0)?.row })
      records.append(record)
      leaves.append(entry.map { hasher.leafHash($0.span) })
    }
    // A name that is none, because its kind is damaged, leaves its event without a leaf.
    let broken = leaves.indices.filter { leaves[$0] == nil }
    guard broken.count <= 1 else { return nil }
    var bitsInBlock = Self.bitsInBlockMax
    for (index, record) in records.enumerated() where broken.isEmpty || broken == [index] {
      let position = positions.lowerBound + UInt64(index)
      for number in SalvagedLeaf.introduced(by: record) {
        guard let name = source.unverifiedName(number) else { continue }
        for bit in 0..<Self.bitCount(of: name) {
          guard bitsLeft > 0, bitsInBlock > 0 else { return nil }
          (bitsLeft, bitsInBlock) = (bitsLeft - 1, bitsInBlock - 1)
          var turned = name.row
          turned[bit / 8] ^= 1 << UInt8(bit % 8)
          guard Self.isName(turned, isPerson: name.isPerson),
            let entry = SalvagedLeaf.entry(
              of: record, erased: erasures[position],
              name: { $0 == number ? turned : source.unverifiedName($0)?.row })
          else { continue }
          var candidate = leaves
          candidate[index] = hasher.leafHash(entry.span)
          if isProven(candidate.compactMap { $0 }) { return Found(number: number, row: turned) }
        }
      }
    }
    return nil
  }

  /// How many bits of a row the tree can prove: in a person's name, those before the encrypted
  /// text.
  private static func bitCount(of name: (row: [UInt8], isPerson: Bool)) -> Int {
    (name.isPerson ? min(SealedName.headByteCount, name.row.count) : name.row.count) * 8
  }

  private static func isName(_ row: [UInt8], isPerson: Bool) -> Bool {
    isPerson ? SealedName(row.span) != nil : SalvageSource.isPublicName(row)
  }
}
