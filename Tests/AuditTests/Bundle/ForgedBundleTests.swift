import LedgerHistories
import LedgerStore
import Testing

@testable import Audit
@testable import LedgerEvents

/// A forger who knows the format makes everything fit but the root.
@Suite("A forged bundle") struct ForgedBundleTests {
  /// The entry with another time of its event, and the checksum that fits.
  private func forged(_ entry: [UInt8]) -> [UInt8] {
    let count = (0..<4).reduce(0) { $0 | Int(entry[$1]) << (8 * $1) }
    var record = Array(entry[4..<4 + count])
    let occurredAt = 10
    record[occurredAt] ^= 1
    let sum = XXH64.hash(record.span.extracting(0..<count - 8))
    for index in 0..<8 {
      record[count - 8 + index] = UInt8(truncatingIfNeeded: sum >> (8 * UInt64(index)))
    }
    return entry[..<4] + record + entry[(4 + count)...]
  }

  @Test("has a record rewritten with its checksum, its event with it, and is not proven")
  func rewritten() throws {
    let ledger = try BundledLedger(Histories.dense(seed: 4, count: 30))
    let lines = try ledger.bundle(of: "A")
    var forgeries = 0
    for place in lines.indices {
      guard let (entry, role, personal) = BundleFormat.leaf(lines[place]) else { continue }
      var texts = BundleTexts()
      for line in lines[...place] {
        guard let before = BundleFormat.leaf(line) else { continue }
        texts.add(try BundledEntry(before.entry))
      }
      let other = forged(entry)
      let parts = try BundledEntry(other)
      let event = role == .names ? nil : try texts.event(of: parts, showing: personal)
      var forgery = lines
      forgery[place] = BundleFormat.line(other, role, personal, event)
      #expect(forgery[place] != lines[place])
      forgeries += 1
      do {
        _ = try IncidentBundle.read(forgery)
        Issue.record("line \(place + 1) was forged")
      } catch {
        #expect(error.code == .notProven)
        #expect(error.message.contains("make the root"))
      }
    }
    #expect(forgeries > 20)
  }

  @Test("signed by the forger is not signed by the ledger's key") func ownKey() throws {
    let ledger = try BundledLedger(Histories.dense(seed: 4, count: 30))
    let forger = try BundledLedger(Histories.dense(seed: 5, count: 30))
    let bundle = try IncidentBundle.read(try forger.bundle(of: "A"))
    #expect(throws: ProofError(.notProven, "")) {
      try bundle.signers(of: [ledger.signer.verifier])
    }
    #expect(try bundle.signers(of: [forger.signer.verifier]).count == 1)
  }
}
