import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog

/// Writes trees, roots and paths from logs, for independent programs:
/// `DAYBOOK_PROOF_VECTORS=FILE swift test --filter LogProofVectorTests`, then `Tools/independent`.
@Suite(
  "Proofs written for independent programs",
  .enabled(if: ProcessInfo.processInfo.environment["DAYBOOK_PROOF_VECTORS"] != nil))
struct LogProofVectorTests {
  /// The log with the most leaves also contains all smaller trees, as roots of earlier positions.
  private static let sizes: [UInt64] = [0, 1, 2, 3, 10, 255, 256, 257, 70_000]
  private static let batch = 1_000

  @Test("of logs of 0 to 70,000 events")
  func vectors() throws {
    let path = try #require(ProcessInfo.processInfo.environment["DAYBOOK_PROOF_VECTORS"])
    var text = ""
    for size in Self.sizes {
      let folder = try TemporaryFolder()
      let log = try EventLog.create(
        at: folder.ledger, options: .init(sync: .onRequest), clock: fixedClock)
      for start in stride(from: 0, to: Int(size), by: Self.batch) {
        let end = min(start + Self.batch, Int(size))
        try log.appendAndWait((start..<end).map { progress("event-\($0)", of: "t-\($0 / 9)") })
      }
      try log.read { (view) throws(LedgerError) in
        text += "tree \(size)\n"
        for position in stride(from: 1, through: size, by: 1) {
          text += "leaf \(Data(try view.leaf(at: position)).base64EncodedString())\n"
        }
        let trees = Self.sizes.filter { $0 <= size }
        for tree in trees { text += "root \(tree) \(Self.base64([try view.root(at: tree)]))\n" }
        for tree in trees where tree > 0 {
          for position in Self.positions(of: tree) {
            let proof = try view.inclusionProof(of: position, at: tree)
            text += "inclusion \(proof.index) \(tree) \(Self.base64(proof.path))\n"
          }
          for old in Self.positions(of: tree) {
            let proof = try view.consistencyProof(from: old, to: tree)
            text += "consistency \(old) \(tree) \(Self.base64(proof.path))\n"
          }
        }
      }
    }
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private static func base64(_ hashes: [TreeHash]) -> String {
    hashes.map { Data($0.bytes).base64EncodedString() }.joined(separator: " ")
  }

  /// Returns all positions of a small tree; for a large one, its ends, the neighbours of powers of
  /// two, and a few more.
  private static func positions(of size: UInt64) -> [UInt64] {
    if size <= 300 { return Array(1...size) }
    let powers = (0..<17).flatMap { level in [1 << level, 1 << level + 1].map { UInt64($0) } }
    let spread = stride(from: UInt64(7), to: size, by: 997)
    return Set(powers + spread + [size - 1, size]).filter { $0 <= size }.sorted()
  }
}
