import Foundation

@testable import Audit
@testable import LedgerEvents
@testable import LedgerLog

/// A log of short texts, with its own tree by the recursive definitions of RFC 6962, section 2.1.
struct ToyLog {
  let key: NoteSigner
  private let leaves: [TreeHash]

  /// - Parameter fork: The index from which on the log has other entries than one without a fork.
  init(_ key: NoteSigner, count: Int = 40, forkedAt fork: Int? = nil) {
    self.key = key
    leaves = (0..<count).map { index in
      TreeHash.leaf(
        Array((index >= fork ?? count ? "other \(index)" : "entry \(index)").utf8).span)
    }
  }

  private func root(_ range: Range<Int>) -> TreeHash {
    if range.isEmpty { return TreeHash.emptyTree }
    if range.count == 1 { return leaves[range.lowerBound] }
    let middle = range.lowerBound + Self.split(range.count)
    var hasher = TreeHasher()
    return hasher.parent(
      root(range.lowerBound..<middle), root(middle..<range.upperBound))
  }

  /// The largest power of two below the count.
  private static func split(_ count: Int) -> Int {
    var split = 1
    while split * 2 < count { split *= 2 }
    return split
  }

  private func path(_ old: Int, _ range: Range<Int>, isWhole: Bool) -> [TreeHash] {
    if old == range.count { return isWhole ? [] : [root(range)] }
    let split = Self.split(range.count)
    let (left, right) = (
      range.lowerBound..<(range.lowerBound + split), (range.lowerBound + split)..<range.upperBound
    )
    return old <= split
      ? path(old, left, isWhole: isWhole) + [root(right)]
      : path(old - split, right, isWhole: false) + [root(left)]
  }

  func proof(from old: Int, to new: Int) -> ConsistencyProof {
    let hashes = old == 0 || old == new ? [] : path(old, 0..<new, isWhole: true)
    return ConsistencyProof(oldSize: UInt64(old), newSize: UInt64(new), path: hashes)
  }

  func checkpoint(at size: Int) throws -> SignedCheckpoint {
    try .sign(size: UInt64(size), root: root(0..<size), with: key)
  }

  func request(from old: Int, to new: Int) throws -> WitnessRequest {
    WitnessRequest(
      try checkpoint(at: new), path: proof(from: old, to: new).path, from: UInt64(old))
  }
}

extension WitnessRequest {
  var bytes: [UInt8] { Array(document.utf8) }
}

extension Instant {
  init(seconds: Int64) { self.init(microseconds: seconds * Instant.second) }
}

/// A folder that is removed with its owner.
final class WitnessFolder {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: url.appending(path: name)))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: url.appending(path: name))
  }

  /// The names of the files, without locks.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path)
      .filter { !$0.hasSuffix(".lock") }.sorted()
  }

  deinit {
    do { try FileManager.default.removeItem(at: url) } catch { print("left \(url.path)") }
  }
}
