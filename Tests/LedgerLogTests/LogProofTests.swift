import Crypto
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog

/// PATH and PROOF of RFC 6962, section 2.1, literally.
private enum Naive {
  static func root(_ leaves: ArraySlice<[UInt8]>) -> [UInt8] {
    guard let first = leaves.first else { return Array(SHA256.hash(data: [UInt8]())) }
    if leaves.count == 1 { return Array(SHA256.hash(data: [0] + first)) }
    let middle = leaves.startIndex + half(leaves.count)
    return Array(SHA256.hash(data: [1] + root(leaves[..<middle]) + root(leaves[middle...])))
  }

  static func path(_ m: Int, _ leaves: ArraySlice<[UInt8]>) -> [[UInt8]] {
    guard leaves.count > 1 else { return [] }
    let k = half(leaves.count)
    let middle = leaves.startIndex + k
    if m < k { return path(m, leaves[..<middle]) + [root(leaves[middle...])] }
    return path(m - k, leaves[middle...]) + [root(leaves[..<middle])]
  }

  static func proof(_ m: Int, _ leaves: ArraySlice<[UInt8]>, _ isWhole: Bool = true) -> [[UInt8]] {
    if m == leaves.count { return isWhole ? [] : [root(leaves)] }
    let k = half(leaves.count)
    let middle = leaves.startIndex + k
    if m <= k { return proof(m, leaves[..<middle], isWhole) + [root(leaves[middle...])] }
    return proof(m - k, leaves[middle...], false) + [root(leaves[..<middle])]
  }

  private static func half(_ count: Int) -> Int {
    var half = 1
    while half * 2 < count { half *= 2 }
    return half
  }
}

private func leafHash(_ entry: [UInt8]) -> TreeHash { TreeHash.leaf(entry.span) }

/// A tree in memory that computes the hashes of ranges as in RFC 6962.
private struct SmallTree {
  let leaves: [[UInt8]]

  init(_ count: Int) { leaves = (0..<count).map { Array("leaf-\($0)".utf8) } }

  func hash(_ range: Range<UInt64>) throws -> TreeHash {
    let root = Naive.root(leaves[Int(range.lowerBound)..<Int(range.upperBound)])
    guard let hash = TreeHash(root.span) else { throw LedgerError(.corrupt, "no hash") }
    return hash
  }

  func root(_ size: Int) throws -> TreeHash { try hash(0..<UInt64(size)) }

  func inclusion(_ index: Int, _ size: Int) throws -> InclusionProof {
    let ranges = MerkleTree.inclusionRanges(index: UInt64(index), size: UInt64(size))
    return InclusionProof(
      index: UInt64(index), size: UInt64(size), path: try ranges.map(hash))
  }

  func consistency(_ old: Int, _ new: Int) throws -> ConsistencyProof {
    let ranges = MerkleTree.consistencyRanges(from: UInt64(old), to: UInt64(new))
    return ConsistencyProof(
      oldSize: UInt64(old), newSize: UInt64(new), path: try ranges.map(hash))
  }
}

@Suite("Proofs of the log's tree")
struct LogProofTests {
  private static let sizes = Array(1...40) + [63, 64, 65, 100]

  @Test("lead from every leaf to the root, as RFC 6962 lists their hashes", arguments: sizes)
  func inclusion(_ size: Int) throws {
    let tree = SmallTree(size)
    let root = try tree.root(size)
    for index in 0..<size {
      let proof = try tree.inclusion(index, size)
      #expect(proof.path.map(\.bytes) == Naive.path(index, tree.leaves[...]))
      #expect(proof.root(of: leafHash(tree.leaves[index])) == root, "leaf \(index)")
    }
  }

  @Test("lead from every earlier tree to the later one", arguments: sizes)
  func consistency(_ size: Int) throws {
    let tree = SmallTree(size)
    let root = try tree.root(size)
    for old in 0...size {
      let proof = try tree.consistency(old, size)
      if old > 0 { #expect(proof.path.map(\.bytes) == Naive.proof(old, tree.leaves[...])) }
      #expect(proof.holds(old: try tree.root(old), new: root), "from \(old)")
    }
  }

  @Test("of ten leaves lead to the known root")
  func knownVector() throws {
    let tree = SmallTree(10)
    let root = try tree.inclusion(4, 10).root(of: leafHash(Array("leaf-4".utf8)))
    #expect(
      root?.hexadecimal == "b45918633ee931a29d24197409547081c315d26ecb3fb0417b8941f859b8e07e")
  }

  @Test("hold for no other leaf, index, size or hash", arguments: [1, 2, 3, 7, 8, 9, 21, 64])
  func wrongInclusion(_ size: Int) throws {
    let tree = SmallTree(size)
    let root = try tree.root(size)
    let wrong = leafHash([7])
    for index in 0..<size {
      let proof = try tree.inclusion(index, size)
      let leaf = leafHash(tree.leaves[index])
      for other in 0...UInt64(size) where other != UInt64(index) {
        let moved = InclusionProof(index: other, size: UInt64(size), path: proof.path)
        #expect(moved.root(of: leaf) != root)
      }
      #expect(proof.root(of: wrong) != root)
      for level in proof.path.indices {
        var path = proof.path
        path[level] = leaf
        #expect(
          InclusionProof(index: UInt64(index), size: UInt64(size), path: path).root(of: leaf)
            != root)
        path.remove(at: level)
        #expect(
          InclusionProof(index: UInt64(index), size: UInt64(size), path: path).root(of: leaf)
            != root)
      }
      let longer = InclusionProof(
        index: UInt64(index), size: UInt64(size), path: proof.path + [leaf])
      #expect(longer.root(of: leaf) == nil)
    }
  }

  @Test("hold for no other beginning", arguments: [2, 3, 7, 8, 9, 21, 64])
  func wrongConsistency(_ size: Int) throws {
    let tree = SmallTree(size)
    let (root, wrong) = (try tree.root(size), leafHash([7]))
    for old in 1...size {
      let proof = try tree.consistency(old, size)
      let before = try tree.root(old)
      #expect(!proof.holds(old: wrong, new: root))
      #expect(!proof.holds(old: before, new: wrong))
      for other in 0...UInt64(size) + 1 where other != UInt64(old) {
        let moved = ConsistencyProof(oldSize: other, newSize: UInt64(size), path: proof.path)
        #expect(!moved.holds(old: before, new: root), "\(other) for \(old) of \(size)")
      }
      for level in proof.path.indices {
        var path = proof.path
        path[level] = wrong
        let changed = ConsistencyProof(
          oldSize: UInt64(old), newSize: UInt64(size), path: path)
        #expect(!changed.holds(old: before, new: root))
      }
      let longer = ConsistencyProof(
        oldSize: UInt64(old), newSize: UInt64(size), path: proof.path + [wrong])
      #expect(!longer.holds(old: before, new: root))
    }
  }

  @Test("say nothing of an empty tree but that everything begins with it")
  func empty() throws {
    let tree = SmallTree(3)
    let proof = try tree.consistency(0, 3)
    #expect(proof.holds(old: TreeHash.emptyTree, new: try tree.root(3)))
    #expect(!proof.holds(old: try tree.root(1), new: try tree.root(3)))
    #expect(InclusionProof(index: 0, size: 0, path: []).root(of: TreeHash.emptyTree) == nil)
  }
}

@Suite("Proofs out of a log")
struct LogViewProofTests {
  private let folder: TemporaryFolder
  private let log: EventLog
  private static let count: UInt64 = 77

  init() throws {
    folder = try TemporaryFolder()
    log = try EventLog.makeNew(folder)
    try log.appendAndWait((0..<Self.count).map { progress("event-\($0)", of: "t-\($0 / 7)") })
  }

  @Test("lead from every event to the root of every size")
  func inclusion() throws {
    try log.read { (view) throws(LedgerError) in
      for size in 1...view.lastPosition {
        let root = try view.root(at: size)
        for position in 1...size {
          let proof = try view.inclusionProof(of: position, at: size)
          let leaf = leafHash(try view.leaf(at: position))
          #expect(proof.root(of: leaf) == root, "position \(position) of \(size)")
        }
      }
    }
  }

  @Test("lead from every size to every later one")
  func consistency() throws {
    try log.read { (view) throws(LedgerError) in
      for new in 0...view.lastPosition {
        for old in 0...new {
          let proof = try view.consistencyProof(from: old, to: new)
          let (before, after) = (try view.root(at: old), try view.root(at: new))
          #expect(proof.holds(old: before, new: after), "from \(old) to \(new)")
        }
      }
    }
  }

  @Test("are to be had as soon as the append is answered")
  func atOnce() async throws {
    for index in 0..<20 {
      let appended = try await log.append([progress("late-\(index)")])
      let position = Self.count + UInt64(index) + 1
      #expect(appended.outcomes.map(\.position) == [position])
      try log.read { (view) throws(LedgerError) in
        let proof = try view.inclusionProof(of: position, at: position)
        let leaf = leafHash(try view.leaf(at: position))
        #expect(proof.root(of: leaf) == (try view.root(at: position)))
      }
    }
  }

  @Test("are refused for what the log does not hold")
  func beyond() throws {
    try log.read { (view) throws(LedgerError) in
      let last = view.lastPosition
      #expect(throws: LedgerError(.notFound, "")) {
        try view.inclusionProof(of: last + 1, at: last + 1)
      }
      #expect(throws: LedgerError(.notFound, "")) { try view.inclusionProof(of: 9, at: 8) }
      #expect(throws: LedgerError(.notFound, "")) { try view.inclusionProof(of: 0, at: 8) }
      #expect(throws: LedgerError(.notFound, "")) { try view.consistencyProof(from: 9, to: 8) }
      #expect(throws: LedgerError(.notFound, "")) {
        try view.consistencyProof(from: 1, to: last + 1)
      }
    }
  }

  @Test("come with the roots that the records give, whatever the nodes say")
  func rehashed() throws {
    let wanted: [UInt64] = [0, 1, 16, 40, 77, 78]
    let before = try log.read { (view) throws(LedgerError) in
      try view.rehashedRoots(at: wanted)
    }
    for size in wanted.dropLast() {
      let root = try log.read { (view) throws(LedgerError) in try view.root(at: size) }
      #expect(before[size] == root)
    }
    #expect(before[78] == nil)
    var transaction = try log.environment.beginWrite()
    try transaction.put(log.tables.tree, 0, [UInt8](repeating: 7, count: 32).span)
    try transaction.commit()
    let after = try log.read { (view) throws(LedgerError) in try view.rehashedRoots(at: wanted) }
    #expect(after == before)
  }
}
