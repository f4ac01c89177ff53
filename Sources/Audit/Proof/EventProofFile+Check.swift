public import LedgerEvents
internal import LedgerStore

/// An event that a proof has proven.
public struct ProvenEvent: Sendable {
  /// The event as one line of JSON, rebuilt from what is proven.
  public let line: [UInt8]
  public let position: UInt64
  public let event: RecordedEvent
  /// The checkpoint with the root that proves the event.
  public let checkpoint: SignedCheckpoint
  /// The keys that signed the checkpoint.
  public let signers: [NoteVerifier]
  /// The fields and personal members that the proof does not disclose.
  public let withheld: [String]
}

extension EventProofFile {
  /// Checks which event is at which position under a root that one of `keys` signed.
  ///
  /// The event is rebuilt from the entry and from what is disclosed with it. Each part is checked
  /// against the root, and the result must equal the event in the file.
  ///
  /// - Complexity: O(log *n*) hashes for each name of the event. It needs no ledger.
  /// - Throws: ``ProofError``: `notProven` with the failed check, `malformed`.
  public func check(_ keys: [NoteVerifier]) throws(ProofError) -> ProvenEvent {
    let signers = try checkpoint.signers(of: keys)
    guard let extra else {
      throw .malformed(
        "the proof has no extra line, which holds the event: ask for one as `daybook prove` "
          + "writes it")
    }
    let disclosure = try EventDisclosure(extra)
    guard inclusion.root(of: TreeHash.leaf(disclosure.entry.span)) == checkpoint.root else {
      throw .notProven(
        "the entry is not at index \(inclusion.index) of the tree over \(checkpoint.size) events: "
          + "the hashes do not lead to the root that is signed. The entry, the index or a hash was "
          + "changed, or the event was never in this ledger")
    }
    let rebuilt = try disclosure.rebuilt(
      at: inclusion.index + 1, in: ProvenTree(size: checkpoint.size, root: checkpoint.root))
    guard rebuilt.line == disclosure.event else {
      throw .notProven(
        "the event that the file shows is not the one that is proven: its entry says "
          + String(decoding: rebuilt.line, as: UTF8.self))
    }
    return ProvenEvent(
      line: rebuilt.line, position: inclusion.index + 1, event: rebuilt.event,
      checkpoint: checkpoint, signers: signers, withheld: rebuilt.withheld)
  }
}
