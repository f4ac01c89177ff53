import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerStore
import Testing

@testable import Audit

/// A log with events of every kind, and proofs from it.
private final class ProvenLedger {
  let log: EventLog
  let key: NoteSigner
  private let path: String

  init(_ events: [RecordedEvent]) throws {
    let path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    let log = try EventLog.create(at: path, options: Environment.Options(sync: .onRequest))
    _ = try log.appendAndWait(events.map { EventInput(event: $0.event) })
    let key = try NoteSigner(name: "book.example/test")
    (self.path, self.log, self.key) = (path, log, key)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
  }

  func count() throws -> UInt64 { try log.lastPosition() }

  func proof(
    of position: UInt64, at size: UInt64? = nil, withholding: Withholding = .nothing
  ) throws -> EventProofFile {
    let evidence = try log.read { (view) throws(LedgerError) in
      try view.evidence(
        of: position, at: size ?? view.lastPosition, withholding: withholding)
    }
    return EventProofFile(
      extra: evidence.extra, inclusion: evidence.inclusion,
      checkpoint: try .sign(size: evidence.inclusion.size, root: evidence.root, with: key))
  }

  func line(_ position: UInt64) throws -> [UInt8] {
    try log.read { (view) throws(LedgerError) in
      EventEncoder().encode(try view.event(at: position))
    }
  }
}

@Suite("Proofs of events") struct EventProofTests {
  private let ledger: ProvenLedger

  init() throws { ledger = try ProvenLedger(Histories.dense(seed: 3, count: 90)) }

  @Test("show every event as the ledger has it, at sizes from its position on")
  func everyEvent() throws {
    let count = try ledger.count()
    for position in 1...count {
      for size in Set([position, min(position + 17, count), count]) {
        let file = try EventProofFile(
          Array(try ledger.proof(of: position, at: size).document.utf8))
        let proven = try file.check([ledger.key.verifier])
        #expect(proven.line == (try ledger.line(position)))
        #expect(proven.position == position && proven.checkpoint.size == size)
        #expect(proven.withheld.isEmpty)
      }
    }
  }

  @Test("with everything personal withheld show what is left, and say what is not there")
  func withheld() throws {
    for position in 1...(try ledger.count()) {
      let proven = try ledger.proof(of: position, withholding: .everything)
        .check([ledger.key.verifier])
      let event = proven.event.event
      for (field, name) in [
        ("account", event.account), ("device", event.device), ("session", event.session),
      ] {
        guard let name else { continue }
        #expect(name.text.hasPrefix("withheld:"), "position \(position)")
        #expect(proven.withheld.contains(field))
      }
      let line = String(decoding: try ledger.line(position), as: UTF8.self)
      #expect(event.id.text.isEmpty == false && line.contains(event.id.text))
    }
  }

  @Test("withhold one field and prove the others") func oneField() throws {
    let count = try ledger.count()
    let position = try #require(
      try (1...count).first { position in
        let proven = try ledger.proof(of: position).check([ledger.key.verifier])
        return proven.event.event.account != nil && proven.event.event.device != nil
      })
    let whole = try ledger.proof(of: position).check([ledger.key.verifier]).event.event
    let proven = try ledger.proof(of: position, withholding: .fields(["account"]))
      .check([ledger.key.verifier])
    #expect(proven.withheld == ["account"])
    #expect(proven.event.event.account != whole.account)
    #expect(proven.event.event.device == whole.device)
    #expect(throws: LedgerError(.notFound, "")) {
      try ledger.proof(of: position, withholding: .fields(["shoe size"]))
    }
  }

  /// Returns a proof of `position` in which only the document in the extra line is changed.
  private func forged(
    _ position: UInt64, _ change: (inout EventDisclosure) throws -> Void
  ) throws -> EventProofFile {
    let proof = try ledger.proof(of: position)
    var disclosure = try EventDisclosure(try #require(proof.extra))
    try change(&disclosure)
    return EventProofFile(
      extra: disclosure.json, inclusion: proof.inclusion, checkpoint: proof.checkpoint)
  }

  @Test("never show an event that is not proven") func otherEvent() throws {
    let other = try ledger.line(8)
    let file = try forged(7) { $0.event = other }
    #expect(throws: ProofError(.notProven, "")) { try file.check([ledger.key.verifier]) }
    let entry = try EventDisclosure(try #require(try ledger.proof(of: 8).extra)).entry
    let moved = try forged(7) { $0.entry = entry }
    #expect(throws: ProofError(.notProven, "")) { try moved.check([ledger.key.verifier]) }
  }

  @Test("never show a name with another hash than the one it is looked up by") func otherHashes()
    throws
  {
    let names = try EventDisclosure(try #require(try ledger.proof(of: 1).extra)).names
    let index = try #require(names.firstIndex { $0.hash != nil })
    let file = try forged(1) { disclosure in
      let name = disclosure.names[index]
      disclosure.names[index] = EventDisclosure.DisclosedName(
        number: name.number, text: name.text, nonce: name.nonce,
        hash: name.hash?.map { $0 ^ 1 }, introducedAt: name.introducedAt)
    }
    #expect(throws: ProofError(.notProven, "")) { try file.check([ledger.key.verifier]) }
  }

  @Test("never show a name that the log does not have under the number") func otherNames() throws {
    for position in stride(from: UInt64(1), through: try ledger.count(), by: 7) {
      let count = try EventDisclosure(try #require(try ledger.proof(of: position).extra)).names
        .count
      for index in 0..<count {
        let file = try forged(position) { disclosure in
          let name = disclosure.names[index]
          disclosure.names[index] = EventDisclosure.DisclosedName(
            number: name.number, text: "somebody else", nonce: name.nonce,
            hash: name.hash, introducedAt: name.introducedAt)
          disclosure.event = Array(
            String(decoding: disclosure.event, as: UTF8.self)
              .replacing(name.text.text, with: "somebody else").utf8)
        }
        #expect(throws: ProofError(.notProven, "")) { try file.check([ledger.key.verifier]) }
      }
    }
  }

  @Test("need the extra line, and the signature of the log") func incomplete() throws {
    let proof = try ledger.proof(of: 3)
    let bare = EventProofFile(
      extra: nil, inclusion: proof.inclusion, checkpoint: proof.checkpoint)
    #expect(throws: ProofError(.malformed, "")) { try bare.check([ledger.key.verifier]) }
    let stranger = try NoteSigner(name: "book.example/test").verifier
    #expect(throws: ProofError(.notProven, "")) { try proof.check([stranger]) }
  }
}

@Suite("Heavy: proofs with a byte changed") struct HeavyForgedProofTests {
  /// Returns whether a changed file still proves at most what it proved before.
  private func isHarmless(
    _ bytes: [UInt8], _ keys: [NoteVerifier], _ whole: ProvenEvent
  ) -> Bool {
    do throws(ProofError) {
      let proven = try EventProofFile(bytes).check(keys)
      return proven.line == whole.line && proven.checkpoint.root == whole.checkpoint.root
        && proven.checkpoint.size == whole.checkpoint.size
        && proven.checkpoint.origin == whole.checkpoint.origin
        && proven.position == whole.position && proven.signers == whole.signers
    } catch {
      return true
    }
  }

  @Test(
    "never prove anything else, whichever bit is turned, byte is cut or doubled",
    arguments: [(5, false), (40, false), (40, true), (63, false)] as [(UInt64, Bool)])
  func everyByte(_ position: UInt64, _ isWithheld: Bool) throws {
    let ledger = try ProvenLedger(Histories.dense(seed: 4, count: 70))
    let keys = [ledger.key.verifier]
    let proof = try ledger.proof(of: position, withholding: isWithheld ? .everything : .nothing)
    let whole = try proof.check(keys)
    let bytes = Array(proof.document.utf8)
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << UInt8(bit)
        #expect(isHarmless(changed, keys, whole), "bit \(bit) of byte \(index)")
      }
      #expect(isHarmless(Array(bytes[..<index]), keys, whole), "cut at \(index)")
      var shorter = bytes
      shorter.remove(at: index)
      #expect(isHarmless(shorter, keys, whole), "without byte \(index)")
      var longer = bytes
      longer.insert(bytes[index], at: index)
      #expect(isHarmless(longer, keys, whole), "byte \(index) twice")
    }
  }

  @Test("never prove anything else, whichever byte of what the extra line carries is changed")
  func everyByteInside() throws {
    let ledger = try ProvenLedger(Histories.dense(seed: 5, count: 70))
    let keys = [ledger.key.verifier]
    for position in [9, 33, 61] as [UInt64] {
      let proof = try ledger.proof(of: position)
      let whole = try proof.check(keys)
      let extra = try #require(proof.extra)
      for index in extra.indices {
        for bit in 0..<7 {
          var changed = extra
          changed[index] ^= 1 << UInt8(bit)
          let file = EventProofFile(
            extra: changed, inclusion: proof.inclusion, checkpoint: proof.checkpoint)
          #expect(
            isHarmless(Array(file.document.utf8), keys, whole), "bit \(bit) of byte \(index)")
        }
      }
    }
  }
}
