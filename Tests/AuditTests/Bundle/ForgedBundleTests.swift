import LedgerHistories
import LedgerQueries
import LedgerStore
import Testing

@testable import Audit
@testable import LedgerEvents

/// A forger who knows the format makes everything consistent except the root.
@Suite("A forged bundle") struct ForgedBundleTests {
  /// Returns the entry with a different time of its event and the correct checksum.
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
    for index in lines.indices {
      guard let (entry, role, personal) = try BundleFormat.leaf(lines[index]) else { continue }
      var texts = BundleTexts()
      for line in lines[...index] {
        guard let before = try BundleFormat.leaf(line) else { continue }
        texts.add(try BundledEntry(before.entry))
      }
      let other = forged(entry)
      let parts = try BundledEntry(other)
      let event = role == .names ? nil : try texts.event(of: parts, showing: personal)
      var forgery = lines
      forgery[index] = BundleFormat.line(other, role, personal, event)
      #expect(forgery[index] != lines[index])
      forgeries += 1
      do {
        _ = try IncidentBundle.read(forgery)
        Issue.record("line \(index + 1) was forged")
      } catch {
        #expect(error.code == .notProven)
        #expect(error.message.contains("make the root"))
      }
    }
    #expect(forgeries > 20)
  }

  @Test("takes a piece of a text for nonce, so that the rest passes for another, and is refused")
  func nonceOfOtherLength() throws {
    let line =
      #"{"id":"e-1","type":"download.failed","occurredAt":"2026-03-01T10:00:00Z","#
      + #""account":"ada","product":"map","transaction":"t-1","download":"d-1","#
      + #""data":{"error":{"domain":"D","code":7}}}"#
    let event = try EventDecoder().decode(line: Array(line.utf8)).event
    let ledger = try BundledLedger([
      RecordedEvent(position: 1, recordedAt: event.occurredAt, event: event)
    ])
    var lines = try ledger.bundle(of: "ada", disclosing: ["error"])
    let (entry, role, personal) = try #require(try BundleFormat.leaf(lines[1]))
    guard case .disclosed(let member, let nonce) = try #require(personal.first) else {
      Issue.record("the error is not shown")
      return
    }
    let taken = Array(#""error":{"#.utf8)
    let other = EventData.Member(name: "domain", json: Array(#""D","code":7}"#.utf8))
    #expect(member.text == taken + other.text)
    // The event in the form of a disclosure, with a nonce of the right length. The long member
    // replaces it, and hashes to the record's commitment.
    let shown = PersonalMember.disclosed(other, nonce: nonce)
    let parts = try BundledEntry(entry)
    var texts = BundleTexts()
    texts.add(parts)
    let reported = try texts.event(of: parts, showing: [shown])
    let forged = String(
      decoding: BundleFormat.line(entry, role, [shown], reported), as: UTF8.self)
    lines[1] = Array(
      forged.replacing(
        StandardBase64.encode(nonce.bytes), with: StandardBase64.encode(nonce.bytes + taken)
      ).utf8)
    #expect(
      performing: { try IncidentBundle.read(lines) },
      throws: { "\($0)".contains("line 2 of the bundle: nonce") })
  }

  /// Returns the checkpoint in the first line of a bundle, as it is in JSON.
  private func checkpoint(_ lines: [[UInt8]]) throws -> String {
    let header = String(decoding: try #require(lines.first), as: UTF8.self)
    return String(try #require(header.firstMatch(of: #/"checkpoint":"[^"]*"/#)).0)
  }

  @Test("leaves out an event, with the right proof for the rest, and is refused")
  func leftOut() throws {
    let ledger = try BundledLedger(Histories.dense(seed: 4, count: 30))
    let whole = try ledger.bundle(of: "A")
    let bundle = try IncidentBundle.read(whole)
    let signed = try checkpoint(whole)
    // One that introduces no name which others need.
    var refused = 0
    for position in bundle.events.events.map(\.position).reversed() {
      var cut: [[UInt8]]
      do { cut = try ledger.bundle(of: "A", without: [position]) } catch { continue }
      let header = String(decoding: cut[0], as: UTF8.self)
      // The forger has what was signed for the whole bundle, and cannot sign anew.
      cut[0] = Array(header.replacing(try checkpoint(cut), with: signed).utf8)
      do {
        _ = try IncidentBundle.read(cut)
        Issue.record("position \(position) was left out")
      } catch {
        #expect(error.code == .notProven, "\(error.message)")
        if error.message.contains("left out") { refused += 1 }
      }
    }
    #expect(refused > 3)
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
