import Crypto
import Testing

@testable import LedgerLog

/// RFC 6962, section 2.1, literally: slow, and independent of the code under test.
private func naiveRoot(_ leaves: ArraySlice<[UInt8]>) -> [UInt8] {
  guard let first = leaves.first else { return Array(SHA256.hash(data: [UInt8]())) }
  if leaves.count == 1 { return Array(SHA256.hash(data: [0] + first)) }
  var half = 1
  while half * 2 < leaves.count { half *= 2 }
  let middle = leaves.startIndex + half
  let below = naiveRoot(leaves[..<middle]) + naiveRoot(leaves[middle...])
  return Array(SHA256.hash(data: [1] + below))
}

private func leaves(_ count: Int) -> [[UInt8]] {
  (0..<count).map { Array("leaf-\($0)".utf8) }
}

@Suite("The log's tree")
struct LogMerkleTreeTests {
  @Test("has the root that RFC 6962 defines, at every size from 0 to 600")
  func rootsAtEverySize() {
    let leaves = leaves(600)
    var frontier = MerkleFrontier()
    var hasher = TreeHasher()
    var completed: [TreeHash] = []
    for size in 0...600 {
      #expect(frontier.root(&hasher).bytes == naiveRoot(leaves[..<size]), "size \(size)")
      guard size < 600 else { break }
      let record = leaves[size]
      let leaf = hasher.leafHash(record.span)
      frontier.append(leaf, &hasher, completed: &completed)
    }
  }

  @Test("has the known root of ten leaves")
  func knownVector() {
    var frontier = MerkleFrontier()
    var hasher = TreeHasher()
    var completed: [TreeHash] = []
    for leaf in leaves(10) {
      let hash = hasher.leafHash(leaf.span)
      frontier.append(hash, &hasher, completed: &completed)
    }
    #expect(
      frontier.root(&hasher).hexadecimal
        == "b45918633ee931a29d24197409547081c315d26ecb3fb0417b8941f859b8e07e")
  }

  @Test("of no leaves is the hash of nothing")
  func emptyTree() {
    #expect(
      TreeHasher.empty.hexadecimal
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test("stores each node where the closed form says, and finds every peak among them")
  func storedNodes() {
    let leaves = leaves(600)
    var frontier = MerkleFrontier()
    var hasher = TreeHasher()
    var stored: [TreeHash] = []
    for size in 1...600 {
      let record = leaves[size - 1]
      let leaf = hasher.leafHash(record.span)
      frontier.append(leaf, &hasher, completed: &stored)
      #expect(MerkleTree.storedNodes(atSize: UInt64(size)) == UInt64(stored.count))
      guard size % 16 == 0 else { continue }
      for (level, index) in MerkleTree.peaks(size: UInt64(size)) where level >= 4 {
        let start = Int(index) << level
        let expected = naiveRoot(leaves[start..<start + 1 << level])
        let storedIndex = MerkleTree.storedIndex(level: level, index: index)
        #expect(stored[Int(storedIndex)].bytes == expected, "level \(level), index \(index)")
      }
    }
  }

  @Test("goes on from its peaks as if it had never stopped")
  func resumes() {
    let leaves = leaves(80)
    var hasher = TreeHasher()
    var completed: [TreeHash] = []
    for stop in [0, 1, 15, 16, 17, 63, 64] {
      var peaks: [TreeHash] = []
      for (level, index) in MerkleTree.peaks(size: UInt64(stop)) {
        let start = Int(index) << level
        let bytes = naiveRoot(leaves[start..<start + 1 << level])
        if let hash = TreeHash(bytes.span) { peaks.append(hash) }
      }
      var frontier = MerkleFrontier(size: UInt64(stop), peaks: peaks)
      for leaf in leaves[stop...] {
        let hash = hasher.leafHash(leaf.span)
        frontier.append(hash, &hasher, completed: &completed)
      }
      #expect(frontier.root(&hasher).bytes == naiveRoot(leaves[...]), "stopped at \(stop)")
    }
  }
}
