internal import LMDB
internal import LedgerEvents
internal import PageReading

/// The root over the first events of a damaged log, as far as it can be computed without LMDB.
public struct ReadableRoot: Hashable, Sendable {
  /// The root. If it is the one that was signed, every event that was read is as it was signed.
  public let root: TreeHash
  /// Events that were not read, because they or their names are on damaged pages: for them, the
  /// hashes are those that the tree stores.
  public let eventsUnread: UInt64
}

extension EventLog {
  /// The roots at some sizes, by a reader that checks every page before it uses it.
  ///
  /// Use it for a log that has damaged pages, which must not be opened.
  ///
  /// - Parameters:
  ///   - path: The ledger's folder.
  ///   - sizes: The sizes, in any order.
  /// - Returns: The roots by size. A size has none if damaged pages hide events and also the hashes
  ///   that stand for them, or the log ends before it.
  /// - Complexity: O(*n*) in the size of the log, and in the events up to the largest size for each
  ///   size. O(1) without sizes.
  /// - Throws: ``LedgerError``: `noLedger`, `io`.
  public static func readableRoots(
    of path: String, at sizes: [UInt64]
  ) throws(LedgerError) -> [UInt64: ReadableRoot] {
    // All pages would be read for nothing.
    if sizes.isEmpty { return [:] }
    let data = "\(path)/\(folderName)/\(Environment.dataFileName)"
    let file: PageFile
    do throws(LMDBError) {
      guard let found = try PageFile(data) else {
        throw LMDBError(.missing, operation: "verify", message: "There is no log at \(data).")
      }
      file = found
    } catch { throw LedgerError(error) }
    let source = SalvageSource(file)
    source.read(knownEvents: nil)
    var tree = ReadableTree(source)
    var roots: [UInt64: ReadableRoot] = [:]
    for size in sizes where size <= source.eventsStated ?? 0 { roots[size] = tree.root(at: size) }
    return roots
  }
}

/// The tree of a damaged log: its leaves are hashed where they can be read, and its stored nodes
/// stand for the others.
private struct ReadableTree {
  private let source: SalvageSource
  private let erasures: [UInt64: [UInt8]]
  private var hasher = TreeHasher()
  /// The whole blocks of leaves that were looked at.
  private var blocks: [UInt64: Node?] = [:]

  /// The hash of a subtree, and how many of its events were not read.
  private struct Node {
    let hash: TreeHash
    let eventsUnread: UInt64
  }

  init(_ source: SalvageSource) {
    self.source = source
    erasures = SalvagedErasures(source).commitments
  }

  mutating func root(at size: UInt64) -> ReadableRoot? {
    let rest = size % SalvageProof.blockLeaves
    var peaks: [TreeHash] = []
    var unread: UInt64 = 0
    for peak in MerkleTree.peaks(size: size - rest) {
      guard let node = node(peak.level, peak.index) else { return nil }
      peaks.append(node.hash)
      unread += node.eventsUnread
    }
    var frontier = MerkleFrontier(size: size - rest, peaks: peaks)
    if rest > 0 {
      let block = size / SalvageProof.blockLeaves
      guard let leaves = SalvageProof.leaves(ofBlock: block, size, source, erasures, &hasher)
      else { return nil }
      var completed: [TreeHash] = []
      for leaf in leaves { frontier.append(leaf, &hasher, completed: &completed) }
    }
    return ReadableRoot(root: frontier.root(&hasher), eventsUnread: unread)
  }

  private mutating func node(_ level: Int, _ index: UInt64) -> Node? {
    if level == MerkleTree.storedLevelMin { return block(index) }
    if let left = node(level - 1, 2 * index), let right = node(level - 1, 2 * index + 1) {
      return Node(
        hash: hasher.parent(left.hash, right.hash),
        eventsUnread: left.eventsUnread + right.eventsUnread)
    }
    return stored(level, index)
  }

  private mutating func block(_ index: UInt64) -> Node? {
    if let known = blocks[index] { return known }
    let last = (index + 1) * SalvageProof.blockLeaves
    let leaves = SalvageProof.leaves(ofBlock: index, last, source, erasures, &hasher)
    let node =
      leaves.map { Node(hash: SalvageProof.root(of: $0, &hasher), eventsUnread: 0) }
      ?? stored(MerkleTree.storedLevelMin, index)
    blocks[index] = node
    return node
  }

  private func stored(_ level: Int, _ index: UInt64) -> Node? {
    source.node(MerkleTree.storedIndex(level: level, index: index)).map {
      Node(hash: $0, eventsUnread: 1 << UInt64(level))
    }
  }
}
