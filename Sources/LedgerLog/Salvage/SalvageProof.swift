internal import LMDB
internal import LedgerEvents

/// Compares what was read of a damaged log with the nodes of its tree.
///
/// A record has a checksum. A name that does not identify a person has none, and a flipped bit
/// could assign a purchase to another product. The tree covers both. So each block of 16 leaves is
/// hashed and compared with its stored node, or with a stored node above it. The last leaves are
/// compared with the root that was kept beside the log.
struct SalvageProof {
  /// What the tree says about a block of 16 positions.
  private enum Verdict {
    /// Its records and names are those that were written.
    case proven
    /// They are not. Something in the block is damaged, and no checksum shows what.
    case contradicted
    /// A record, name or node is missing, so the tree says nothing.
    case unknown
  }

  private var verdicts: [Verdict] = []
  /// The nodes that were hashed, from the lowest stored level upwards.
  private var levels: [[TreeHash?]] = []

  /// Positions under one of the lowest stored nodes.
  static let blockLeaves: UInt64 = 1 << UInt64(MerkleTree.storedLevelMin)

  private var hasher = TreeHasher()

  /// Hashes the leaves of the positions up to `last`.
  ///
  /// - Complexity: Two hashes per event.
  init(
    _ source: SalvageSource, through last: UInt64, kept: KeptRoot?, _ listed: SalvagedErasures
  ) {
    let erasures = listed.commitments
    let blocks = Int((last + Self.blockLeaves - 1) / Self.blockLeaves)
    var leaves: [[TreeHash]?] = []
    for block in 0..<blocks {
      leaves.append(Self.leaves(ofBlock: UInt64(block), last, source, erasures, &hasher))
    }
    verdicts = [Verdict](repeating: .unknown, count: blocks)
    let whole = leaves.map { leaves -> TreeHash? in
      guard let leaves, leaves.count == Int(Self.blockLeaves) else { return nil }
      return Self.root(of: leaves, &hasher)
    }
    judge(source, whole, last)
    judgeEnd(source, leaves.last ?? nil, last, kept)
    if !listed.isConsistent { excuseErasures(source.erasures) }
    repairNames(source, last, kept, erasures)
    rejectOutside(source, last)
  }

  /// Rejects what was found beside the trees in blocks that the tree contradicts: it is from a
  /// commit that failed. Of the rest of such a block the tree then says nothing.
  private mutating func rejectOutside(_ source: SalvageSource, _ last: UInt64) {
    for block in verdicts.indices where verdicts[block] == .contradicted {
      let first = UInt64(block) * Self.blockLeaves + 1
      for position in first...min(last, first + Self.blockLeaves - 1)
      where source.rejectOutside(position) {
        verdicts[block] = .unknown
      }
    }
  }

  /// Looks for a flipped bit in the names of each block that the tree does not prove.
  private mutating func repairNames(
    _ source: SalvageSource, _ last: UInt64, _ kept: KeptRoot?, _ erasures: [UInt64: [UInt8]]
  ) {
    var repair = NameRepair(source)
    for block in verdicts.indices where verdicts[block] != .proven {
      let first = UInt64(block) * Self.blockLeaves + 1
      let positions = first...min(last, first + Self.blockLeaves - 1)
      let found: NameRepair.Found?
      if positions.count == Int(Self.blockLeaves) {
        let index = MerkleTree.storedIndex(level: MerkleTree.storedLevelMin, index: UInt64(block))
        guard let stored = source.node(index) else { continue }
        var hasher = TreeHasher()
        found = repair.find(in: positions, erasures) { Self.root(of: $0, &hasher) == stored }
      } else {
        guard let kept, kept.position == last else { continue }
        let peaks = MerkleTree.peaks(size: first - 1).map {
          source.node(MerkleTree.storedIndex(level: $0.level, index: $0.index))
        }
        var proof = self
        found = repair.find(in: positions, erasures) {
          proof.root(peaks, $0, first - 1) == kept.root
        }
      }
      guard let found else { continue }
      source.repair(found)
      verdicts[block] = .proven
    }
  }

  /// Returns whether the tree proves the event at `position` and the names that it introduces.
  func isProven(_ position: UInt64) -> Bool { verdict(position) == .proven }

  /// Returns whether the tree shows that something in the block of `position` differs from what was
  /// written.
  func isContradicted(_ position: UInt64) -> Bool { verdict(position) == .contradicted }

  private func verdict(_ position: UInt64) -> Verdict {
    let block = Int((position - 1) / Self.blockLeaves)
    return block < verdicts.count ? verdicts[block] : .unknown
  }

  /// Compares each whole block, and everything above it, with the stored nodes.
  private mutating func judge(_ source: SalvageSource, _ blocks: [TreeHash?], _ last: UInt64) {
    let whole = Int(last / Self.blockLeaves)
    for block in 0..<whole {
      let index = MerkleTree.storedIndex(level: MerkleTree.storedLevelMin, index: UInt64(block))
      guard let computed = blocks[block], let stored = source.node(index) else { continue }
      // A node that no tree leads to may be one of a commit that failed.
      let isOwn = source.nodes.origin(of: index)?.isOfTree == true
      verdicts[block] = computed == stored ? .proven : isOwn ? .contradicted : .unknown
    }
    // A damaged node contradicts intact blocks, but the node above it does not.
    var level = Array(blocks.prefix(whole))
    levels.append(level)
    while level.count > 1 {
      let height = levels.count
      var above: [TreeHash?] = []
      for index in 0..<level.count / 2 {
        var parent: TreeHash?
        if let left = level[2 * index], let right = level[2 * index + 1] {
          parent = hasher.parent(left, right)
        }
        above.append(parent)
        let stored = MerkleTree.storedIndex(
          level: MerkleTree.storedLevelMin + height, index: UInt64(index))
        guard let parent, source.node(stored) == parent else { continue }
        for block in index << height..<(index + 1) << height { verdicts[block] = .proven }
      }
      level = above
      levels.append(level)
    }
  }

  /// Compares the root over everything with the one that was kept.
  private mutating func judgeEnd(
    _ source: SalvageSource, _ leaves: [TreeHash]?, _ last: UInt64, _ kept: KeptRoot?
  ) {
    guard let kept, kept.position == last, last > 0 else { return }
    let rest = last % Self.blockLeaves
    guard rest == 0 || leaves != nil else { return }
    let end = rest > 0 ? leaves ?? [] : []
    // For the blocks before the last, use the computed hashes if possible, otherwise the stored
    // nodes. So a leaf that is missing there does not affect the verdict on the end.
    let peaks = MerkleTree.peaks(size: last - rest)
    let hashed = peaks.map { peak in
      let (height, index) = (peak.level - MerkleTree.storedLevelMin, Int(peak.index))
      return height < levels.count ? levels[height][index] : nil
    }
    let stored = peaks.map {
      source.node(MerkleTree.storedIndex(level: $0.level, index: $0.index))
    }
    let isHashed = root(zip(hashed, stored).map { $0 ?? $1 }, end, last - rest) == kept.root
    if isHashed {
      for (peak, hash) in zip(peaks, hashed) where hash != nil {
        let height = peak.level - MerkleTree.storedLevelMin
        let blocks = Int(peak.index) << height..<(Int(peak.index) + 1) << height
        for block in blocks { verdicts[block] = .proven }
      }
    }
    guard rest > 0, let block = verdicts.indices.last else { return }
    let isProven = isHashed || root(stored, end, last - rest) == kept.root
    let isRestProven = verdicts.dropLast().allSatisfy { $0 == .proven }
    verdicts[block] = isProven ? .proven : isRestProven ? .contradicted : .unknown
  }

  /// Returns the root over whole subtrees and the leaves after them, or `nil` if a subtree is
  /// missing.
  private mutating func root(
    _ peaks: [TreeHash?], _ leaves: [TreeHash], _ size: UInt64
  ) -> TreeHash? {
    let known = peaks.compactMap { $0 }
    guard known.count == peaks.count else { return nil }
    var frontier = MerkleFrontier(size: size, peaks: known)
    var completed: [TreeHash] = []
    for leaf in leaves { frontier.append(leaf, &hasher, completed: &completed) }
    return frontier.root(&hasher)
  }

  /// The hashes of a block's leaves; nil if one of its records or names is missing.
  static func leaves(
    ofBlock block: UInt64, _ last: UInt64, _ source: SalvageSource,
    _ erasures: [UInt64: [UInt8]], _ hasher: inout TreeHasher
  ) -> [TreeHash]? {
    var leaves: [TreeHash] = []
    let first = block * blockLeaves + 1
    for position in first...min(last, first + blockLeaves - 1) {
      guard let record = source.record(position),
        let entry = SalvagedLeaf.entry(
          of: record, erased: erasures[position], name: { source.name($0) })
      else { return nil }
      leaves.append(hasher.leafHash(entry.span))
    }
    return leaves
  }

  /// Takes back contradictions where an erasure is: if rows about erasures are lost or damaged, its
  /// leaf cannot be the one that was written.
  private mutating func excuseErasures(_ erasures: some Sequence<UInt64>) {
    for position in erasures {
      let block = Int((position - 1) / Self.blockLeaves)
      if block < verdicts.count, verdicts[block] == .contradicted { verdicts[block] = .unknown }
    }
  }

  /// The root of a whole block.
  static func root(of leaves: [TreeHash], _ hasher: inout TreeHasher) -> TreeHash {
    var level = leaves
    while level.count > 1 {
      level = stride(from: 0, to: level.count, by: 2).map {
        hasher.parent(level[$0], level[$0 + 1])
      }
    }
    return level[0]
  }
}

/// The content of leaves, from rows that were read without LMDB.
enum SalvagedLeaf {
  /// Returns the entry of an intact record, or `nil` if a name that it introduces is missing.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - erased: What the leaf of an erasure contains of what it erased.
  ///   - name: Returns a name's row.
  static func entry(
    of record: [UInt8], erased: [UInt8]?, name: (NameNumber) -> [UInt8]?
  ) -> [UInt8]? {
    var entry: [UInt8] = []
    LeafEntry.append(record.span, to: &entry)
    guard let introductions = introductions(of: record, erased: erased, name: name) else {
      return nil
    }
    return entry + introductions
  }

  /// Returns the numbers of the names that an intact record introduces.
  static func introduced(by record: [UInt8]) -> Range<NameNumber> {
    do throws(RecordError) {
      return try RecordView(record.span, isChecked: false).introducedNumbers
    } catch { return 1..<1 }
  }

  /// Returns what follows the record in its leaf.
  static func introductions(
    of record: [UInt8], erased: [UInt8]?, name: (NameNumber) -> [UInt8]?
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    do throws(RecordError) {
      let view = try RecordView(record.span, isChecked: false)
      for number in view.introducedNumbers {
        guard let row = name(number), let kind = NameKind(rawValue: row[0]) else { return nil }
        if let sealed = SealedName(row.span) {
          let introduction = sealed.introduction
          Introduction.append(kind, commitment: introduction.span, to: &bytes)
        } else {
          Introduction.append(kind, text: row.span.extracting(1..<row.count), to: &bytes)
        }
      }
      if view.kind == .accountErased { bytes += erased ?? Commitment.erasure([]) }
    } catch { return nil }
    return bytes
  }
}
