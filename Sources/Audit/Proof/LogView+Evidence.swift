internal import LedgerEvents
public import LedgerStore

/// What a proof of an event holds beside the signature.
public struct EventEvidence: Sendable {
  public let inclusion: InclusionProof
  public let root: TreeHash
  /// What the proof's extra line carries.
  public let extra: [UInt8]
}

extension LogView {
  /// What proves that the event at `position` stands in the tree over the events up to `size`.
  ///
  /// - Complexity: O(log *n*) look-ups and hashes for each of the event's names.
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  public func evidence(
    of position: UInt64, at size: UInt64
  ) throws(LedgerError) -> EventEvidence {
    let inclusion = try inclusionProof(of: position, at: size)
    let event = try event(at: position)
    let disclosure = EventDisclosure(
      entry: try leafEntry(at: position), event: EventEncoder().encode(event), names: [],
      introducers: [], personal: [])
    return EventEvidence(
      inclusion: inclusion, root: try root(at: size), extra: disclosure.json)
  }
}
