import Crypto
import LedgerHistories
import LogTesting
import Testing

@testable import LedgerLog

/// A tree in memory as in RFC 6962, section 2.1, literally. It shares only the hash type with the
/// code under test.
private struct PlainTree {
  let leaves: [[UInt8]]

  init(size: Int) { leaves = (0..<size).map { Array("leaf-\($0)".utf8) } }

  func leaf(_ index: Int) -> TreeHash { hash([0] + leaves[index]) }

  func root(_ range: Range<Int>) -> TreeHash {
    if range.isEmpty { return hash([]) }
    if range.count == 1 { return leaf(range.lowerBound) }
    var half = 1
    while half * 2 < range.count { half *= 2 }
    let middle = range.lowerBound + half
    return hash(
      [1] + root(range.lowerBound..<middle).bytes + root(middle..<range.upperBound).bytes)
  }

  var root: TreeHash { root(0..<leaves.count) }

  /// Returns the number of subtrees without wanted leaves whose sibling has some, top down.
  func smallest(_ wanted: Set<Int>, _ range: Range<Int>) -> Int {
    if wanted.isDisjoint(with: range) { return 1 }
    if range.count == 1 { return 0 }
    var half = 1
    while half * 2 < range.count { half *= 2 }
    let middle = range.lowerBound + half
    return smallest(wanted, range.lowerBound..<middle)
      + smallest(wanted, middle..<range.upperBound)
  }

  func proof(_ wanted: [Int]) -> TreeMultiProof {
    TreeMultiProof(of: wanted.map { UInt64($0) }, size: UInt64(leaves.count)) { level, index in
      root(Int(index) << level..<(Int(index) + 1) << level)
    }
  }

  func proven(_ wanted: [Int]) -> [(index: UInt64, hash: TreeHash)] {
    wanted.map { (UInt64($0), leaf($0)) }
  }

  private func hash(_ bytes: [UInt8]) -> TreeHash {
    guard let hash = TreeHash(Array(SHA256.hash(data: bytes)).span) else {
      preconditionFailure("SHA-256 has 32 bytes")
    }
    return hash
  }
}

/// The root of a tree is recomputed from some leaves and the proof's nodes alone.
@Suite("A proof of many leaves") struct TreeMultiProofTests {
  private func some(of size: Int, _ random: inout SeededRandom) -> [Int] {
    let wish = 1 + random.below(size)
    return random.shuffled(Array(0..<size)).prefix(wish).sorted()
  }

  @Test("makes the root again at every size from 1 to 300, and has no node too many")
  func everySize() throws {
    var random = SeededRandom(seed: 1)
    for size in 1...300 {
      let tree = PlainTree(size: size)
      let root = tree.root
      for wanted in [[random.below(size)], some(of: size, &random), Array(0..<size)] {
        let proof = tree.proof(wanted)
        #expect(try proof.root(of: tree.proven(wanted)) == root, "\(size): \(wanted)")
        #expect(proof.nodes.count == tree.smallest(Set(wanted), 0..<size), "\(size): \(wanted)")
      }
    }
  }

  @Test("of all leaves needs no node, of one as many as its path has")
  func ends() {
    let tree = PlainTree(size: 256)
    #expect(tree.proof(Array(0..<256)).nodes.isEmpty)
    #expect(tree.proof([77]).nodes.count == 8)
    #expect(tree.proof([]).nodes == [tree.root])
    #expect(PlainTree(size: 0).proof([]).nodes.isEmpty)
  }

  @Test("makes another root of any other leaf, node, index or size", arguments: 1...40)
  func changed(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let tree = PlainTree(size: 2 + random.below(120))
    let size = tree.leaves.count
    let wanted = some(of: size, &random)
    let (proof, root) = (tree.proof(wanted), tree.root)
    func made(_ proof: TreeMultiProof, _ leaves: [(index: UInt64, hash: TreeHash)]) -> TreeHash? {
      do { return try proof.root(of: leaves) } catch { return nil }
    }
    let proven = tree.proven(wanted)
    for index in wanted.indices {
      var other = proven
      other[index].hash = tree.root(0..<2)
      #expect(made(proof, other) != root)
      other = proven
      other.remove(at: index)
      #expect(made(proof, other) != root)
      other = proven
      other[index].index += 1
      #expect(made(proof, other) != root)
    }
    for index in proof.nodes.indices {
      var nodes = proof.nodes
      nodes[index] = tree.root(0..<2) == nodes[index] ? tree.leaf(0) : tree.root(0..<2)
      #expect(made(TreeMultiProof(size: proof.size, nodes: nodes), proven) != root)
      nodes.remove(at: index)
      #expect(made(TreeMultiProof(size: proof.size, nodes: nodes), proven) == nil)
    }
    let more = proof.nodes + [root]
    #expect(made(TreeMultiProof(size: proof.size, nodes: more), proven) == nil)
  }

  @Test("of indices that are not ascending, or beyond the tree, is refused with its reason")
  func refused() {
    let tree = PlainTree(size: 5)
    let proof = tree.proof([1, 3])
    let (one, three) = (tree.leaf(1), tree.leaf(3))
    #expect(throws: MultiProofError.leavesNotAscending) {
      try proof.root(of: [(3, three), (1, one)])
    }
    #expect(throws: MultiProofError.leavesNotAscending) {
      try proof.root(of: [(1, one), (1, one)])
    }
    #expect(throws: MultiProofError.leafBeyondTree) { try proof.root(of: [(1, one), (5, three)]) }
    #expect(throws: MultiProofError.treeTooLarge) {
      try TreeMultiProof(size: .max, nodes: []).root(of: [])
    }
    #expect(throws: MultiProofError.leafBeyondTree) {
      try TreeMultiProof(size: 0, nodes: []).root(of: [(0, one)])
    }
  }

  @Test("out of a log makes the log's root at every size of it")
  func log() throws {
    let folder = try TemporaryFolder()
    let log = try EventLog.makeNew(folder)
    _ = try log.appendAndWait((1...200).map { progress("p-\($0)", at: $0) })
    var random = SeededRandom(seed: 3)
    try log.read { (view) throws(LedgerError) in
      var hasher = TreeHasher()
      for size in 1...200 {
        let wanted = some(of: size, &random)
        let proof = try view.multiProof(of: wanted.map { UInt64($0 + 1) }, size: UInt64(size))
        var leaves: [(index: UInt64, hash: TreeHash)] = []
        for index in wanted {
          leaves.append((UInt64(index), try view.node(level: 0, index: UInt64(index), &hasher)))
        }
        do {
          let root = try proof.root(of: leaves)
          #expect(root == (try view.root(at: UInt64(size))), "\(size): \(wanted)")
        } catch { Issue.record("\(size): \(error)") }
      }
      #expect(throws: LedgerError(.notFound, "")) { try view.multiProof(of: [1], size: 201) }
      #expect(throws: LedgerError(.notFound, "")) { try view.multiProof(of: [9], size: 8) }
    }
  }
}
