import Foundation
import LedgerEvents
import LedgerStore
import Testing

@testable import Audit

@Suite("Proofs and erasure") struct ErasedProofTests {
  private func event(_ id: String, _ type: String, _ data: String = "{}") throws -> EventInput {
    let line =
      #"{"id":"\#(id)","type":"\#(type)","occurredAt":"2026-02-01T12:00:00Z","#
      + #""account":"ada","data":\#(data)}"#
    return EventInput(event: try EventDecoder().decode(line: Array(line.utf8)).event)
  }

  private func proof(_ position: UInt64, _ ledger: Ledger, _ key: NoteSigner) throws
    -> EventProofFile
  {
    let evidence = try ledger.log.read { (view) throws(LedgerError) in
      try view.evidence(of: position, at: view.lastPosition)
    }
    return EventProofFile(
      extra: evidence.extra, inclusion: evidence.inclusion,
      checkpoint: try .sign(size: evidence.inclusion.size, root: evidence.root, with: key))
  }

  @Test("what was proven before still is, and what was erased is shown by no new proof")
  func erased() throws {
    let path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    let ledger = try Ledger.create(at: path)
    defer {
      do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
    }
    let key = try NoteSigner(name: "book.example/erasure")
    let keys = [key.verifier]
    _ = try ledger.appendAndWait([
      try event("n1", "note.added", #"{"text":"rang from Lisbon"}"#),
      try event("n2", "note.added", #"{"text":"rang again"}"#),
    ])
    let before = try proof(2, ledger, key)
    _ = try ledger.erase(try event("e1", "account.erased", #"{"reason":"asked"}"#).event)

    let again = try EventProofFile(Array(before.document.utf8)).check(keys)
    #expect(String(decoding: again.line, as: UTF8.self).contains("rang again"))
    let kept = try ledger.log.read { (view) throws(LedgerError) in
      try KeptCheckpoints([before.checkpoint], against: view)
    }
    #expect(kept.allFit)
    let after = try proof(2, ledger, key)
    let proven = try after.check(keys)
    #expect(proven.withheld == ["account", "text"])
    let text = after.document + String(decoding: after.extra ?? [], as: UTF8.self)
    #expect(!text.contains("rang again") && !text.contains(#""ada""#))
    let consistency = try ledger.log.read { (view) throws(LedgerError) in
      let proof = try view.consistencyProof(from: 2, to: view.lastPosition)
      return proof.holds(old: try view.root(at: 2), new: try view.root(at: view.lastPosition))
    }
    #expect(consistency)
  }
}
