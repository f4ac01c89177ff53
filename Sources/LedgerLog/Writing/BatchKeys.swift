internal import LedgerEvents

/// The ids of a batch's events, and the names that they use, for lookups.
///
/// This is one of the two passes over a batch; ``BatchRecords`` is the other.
struct BatchKeys: Sendable {
  private(set) var idHashes: [UInt64] = []
  /// For each event, the first event of the batch with its id, which is usually the event itself.
  private(set) var firsts: [Int] = []
  /// The distinct names of the batch, in the order of their first use, and their hashes.
  private(set) var names = NameRows()
  private(set) var nameHashes: [UInt64] = []
  /// The name uses of all events one after the other, as indices into `names`, and the end of each
  /// event's uses.
  private(set) var uses: [UInt32] = []
  private(set) var useEnds: [Int] = []

  /// The number of names for which a batch's index initially has room.
  private static let namesExpectedMax = 4_096

  /// - Parameter people: Hashes the names of people; `nil` without the key file.
  /// - Throws: ``LedgerError``: `conflict` within the batch, with the index; `keysMissing` if a
  ///   person is named and there is no key file.
  init(
    _ inputs: [EventInput], _ keyHash: KeyHash, _ people: NameSeal?
  ) throws(LedgerError) {
    idHashes.reserveCapacity(inputs.count)
    firsts.reserveCapacity(inputs.count)
    useEnds.reserveCapacity(inputs.count)
    uses.reserveCapacity(inputs.count * NameSlot.allCases.count)
    var ids = CandidateMap(capacity: inputs.count)
    var numbering = BatchNames(
      capacity: min(inputs.count * 2 + 6, BatchKeys.namesExpectedMax), keyHash, people)
    for (index, input) in inputs.enumerated() {
      let hash = keyHash.id(input.event.id)
      idHashes.append(hash)
      firsts.append(try first(inputs, index, hash, &ids))
      try numbering.add(namesOf: input.event, to: &uses)
      useEnds.append(uses.count)
    }
    names = numbering.rows
    nameHashes = numbering.hashes
  }

  /// Returns the index of the first event of the batch with the same id.
  private func first(
    _ inputs: [EventInput], _ index: Int, _ hash: UInt64, _ ids: inout CandidateMap
  ) throws(LedgerError) -> Int {
    var probe = CandidateMap.Probe()
    while let known = ids.next(hash, &probe) {
      let first = Int(known) - 1
      if try isSame(inputs, index, as: first) { return first }
    }
    ids.insert(hash, UInt32(index + 1))
    return index
  }

  /// Returns whether two events have the same id. Throws an error if their contents then differ.
  @inline(never)
  private func isSame(
    _ inputs: [EventInput], _ index: Int, as first: Int
  ) throws(LedgerError) -> Bool {
    let (event, earlier) = (inputs[index].event, inputs[first].event)
    guard earlier.id == event.id else { return false }
    guard earlier.sameContent(as: event) else {
      throw LedgerError(
        .conflict,
        """
        Event \(index) of the batch has the id of event \(first), \(event.id), and other content: \
        an id names one event.
        """, index: index)
    }
    return true
  }
}
