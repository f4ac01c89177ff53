public import LedgerEvents
internal import LedgerStore

/// An event that a proof has proven, and by what.
public struct ProvenEvent: Sendable {
  /// The event as one line of JSON, made from what is proven.
  public let line: [UInt8]
  public let position: UInt64
  public let event: RecordedEvent
  /// The root that the event is under.
  public let checkpoint: SignedCheckpoint
  /// Who has signed it.
  public let signers: [NoteVerifier]
  /// The fields and personal members that the proof does not disclose.
  public let withheld: [String]
}

extension EventProofFile {
  /// Says which event it is that stands at which position under a root that one of `keys` signed.
  ///
  /// The event is made anew from the entry and what is disclosed with it, each checked against the
  /// root, and has to be the one that the file shows.
  ///
  /// - Complexity: O(log *n*) hashes for each name of the event. It needs no ledger.
  /// - Throws: ``ProofError``: `notProven` with what fails, `malformed`.
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
          + "changed, or the event never was in this book")
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
